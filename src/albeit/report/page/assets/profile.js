// The discourse profile: each kind of glue with its score, its likely faults, and differences.

const BEFORE = 2; // lines of context

/** `everything`: all kinds have their places shown until one is chosen. */
function Profile({ report, view, change, everything = false }) {
  const kind = report.profile.find((p) => p.name === view.kind);
  const baseline = report.baseline ?? 0;
  return html`<section aria-labelledby="profile-title"><h2 id="profile-title">Discourse profile</h2>
    <p class="words">What holds each system's text together, and where it does not. A row opens its likely faults, with evidence and suggestion, and, folded away, differences from the reference that are mostly another wording.</p>
    <${Wide} label="the profile"><table class="scores"><thead><tr><th scope="col">what</th>
      ${report.systems.map((s) => html`<th scope="col"><${Name} text=${s} /></th>`)}<th scope="col" class="left">seen in</th></tr></thead>
      <tbody>${report.profile.map((row) => html`<tr><th scope="row"><button type="button" aria-expanded=${kind === row}
          onClick=${() => change({ kind: kind === row ? null : row.name }, true)}>${row.name}</button></th>
        ${row.scores.map((_, s) => html`<${ProfileCell} row=${row} s=${s} baseline=${baseline} />`)}
        <td class="left">${row.coverage}</td></tr>`)}</tbody></table><//>
    ${report.systems.length > 1 && html`<p class="muted">Higher is better, 1 is best. Each system is tested against ${report.systems[baseline]}: ▲ better, ▼ worse (${"p < .05"}). All p are corrected for the number of kinds and systems.</p>`}
    ${(kind ? [kind] : everything ? report.profile : []).map((one) => html`<${Instances} key=${one.name} report=${report} kind=${one} />`)}
    ${report.system_texts && report.systems.length > 1 && report.profile.some((row) => row.faults) && html`<${Against} report=${report} baseline=${baseline} />`}
    <${NotMeasured} leftOut=${Object.entries(report.left_out ?? {})} /></section>`;
}

function ProfileCell({ row, s, baseline }) {
  const [score, p, ends] = [row.scores[s], row.corrected?.[s], row.intervals?.[s]];
  const sure = typeof p === "number" && p < 0.05;
  const better = sure && score > row.scores[baseline];
  return html`<td class=${sure ? (better ? "better" : "worse") : ""}>${shown(score, 3)}
    ${ends && html`<small>[${shown(ends[0], 3)}, ${shown(ends[1], 3)}]</small>`}
    ${typeof p === "number" && html`<small>${sure ? (better ? "▲ " : "▼ ") : ""}${pValue(p)}</small>`}
    ${row.likely && html`<small class="faults">${shown(row.likely[s].rate, 2)} likely faults [${row.likely[s].interval.map((end) => shown(end, 2)).join(", ")}] per thousand words</small>`}</td>`;
}

/** What the profile could have and has not, and why. */
function NotMeasured({ leftOut }) {
  return leftOut.length > 0 && html`<details><summary>Not measured: ${leftOut.map(([name]) => name).join(", ")}</summary>
    <ul>${leftOut.map(([name, why]) => html`<li>${name}: ${why}</li>`)}</ul></details>`;
}

/** The likely faults of one kind, system by system; differences are folded away. */
function Instances({ report, kind }) {
  const whose = [...new Set(kind.instances.map((one) => one.system))];
  return html`<article class="card instances" aria-label=${kind.name}><h3>${kind.name}: ${kind.likely ? "likely faults" : "differences"}</h3>
    <p class="muted">${kind.about}${!kind.likely && " Differences only: too few of them are faults to call any a likely one."}</p>${kind.signature && html`<p><code>${kind.signature}</code></p>`}
    ${whose.length === 0 && html`<p>No place stands out.</p>`}
    ${whose.map((s, n) => html`<${OfSystem} key=${`${kind.name} ${s}`} report=${report} kind=${kind} s=${s} open=${n === 0} />`)}</article>`;
}

function OfSystem({ report, kind, s, open }) {
  const own = kind.instances.filter((one) => one.system === s);
  const likely = own.filter((one) => one.likely);
  const others = own.filter((one) => !one.likely);
  const more = kind.likely ? kind.likely[s].count - likely.length : 0;
  return html`<details open=${open}><summary>${report.systems[s]}</summary>
    ${likely.map((one) => html`<${Instance} report=${report} one=${one} />`)}
    ${kind.likely && likely.length === 0 && html`<p>No likely fault.</p>`}
    ${more > 0 && html`<p class="muted">and ${more} more</p>`}
    ${others.length > 0 && (kind.likely
      ? html`<details class="differences"><summary>${others.length} ${others.length === 1 ? "difference" : "differences"}</summary>${others.map((one) => html`<${Instance} report=${report} one=${one} />`)}</details>`
      : others.map((one) => html`<${Instance} report=${report} one=${one} />`))}</details>`;
}

/** Likely faults that one system has and another has not, both lines side by side. */
function Against({ report, baseline }) {
  const [a, setA] = useState(baseline);
  const [b, setB] = useState(baseline === 0 ? 1 : 0);
  const [kind, setKind] = useState("all kinds");
  const rows = report.profile.filter((row) => row.faults);
  const chosen = rows.filter((row) => kind === "all kinds" || row.name === kind);
  const same = (row, f) => `${row.name} ${f.segment} ${(f.suggestion ?? "").toLowerCase()}`;
  const of = (s) => chosen.flatMap((row) => row.faults.filter((f) => f.system === s).map((f) => ({ ...f, kind: row.name, key: same(row, f) })));
  const known = new Set(of(a).map((f) => f.key));
  const found = of(b).filter((f) => !known.has(f.key)).sort((x, y) => y.p - x.p);
  const names = report.systems.map((name, n) => [n, name]);
  return html`<article class="card against" aria-label="one system against another"><h3>Where one system loses to another</h3>
    <p class="muted">Likely faults that the one has and the other has not, most certain first.</p>
    <p><${Select} label="faults of" value=${b} onChange=${(v) => setB(Number(v))} options=${names} />
      <${Select} label="that are not in" value=${a} onChange=${(v) => setA(Number(v))} options=${names} />
      <${Select} label="kind" value=${kind} onChange=${setKind} options=${["all kinds", ...rows.map((row) => row.name)].map((k) => [k, k])} /></p>
    ${a === b || found.length === 0 ? html`<p>None.</p>` : html`<${Wide} label="likely faults side by side"><table class="faults"><thead><tr><th scope="col">p</th><th scope="col" class="left">kind</th>
      <th scope="col">segment</th><th scope="col" class="left">suggestion</th><th scope="col" class="left">${report.systems[b]}</th><th scope="col" class="left">${report.systems[a]}</th></tr></thead>
      <tbody>${found.slice(0, 200).map((f) => html`<tr><td>${shown(f.p, 2)}</td><td class="left">${f.kind}</td>
        <td><a href=${linked({ tab: "segments", open: f.segment + 1 })}>${f.segment + 1}</a></td><td class="left">${f.suggestion}</td>
        <td class="left" lang=${report.set.target_lang}><${Spotted} text=${report.system_texts[b][f.segment]} spans=${[f.span]} kind="blamed" /></td>
        <td class="left" lang=${report.set.target_lang}>${report.system_texts[a][f.segment]}</td></tr>`)}</tbody></table><//>`}</article>`;
}

/** One place with what stands around it: the instance's own texts, or else the report's. */
function Instance({ report, one }) {
  const { set } = report;
  const marks = one.marks ?? {};
  const { document, before, text, reference, source } = "text" in one ? one : around(report, one);
  const where = report.system_texts
    ? html`<a href=${linked({ tab: "segments", open: one.segment + 1 })}>segment ${one.segment + 1}</a>` : `segment ${one.segment + 1}`;
  return html`<div class="instance"><p>${document && `${document}, `}${where}: <b>${one.what}</b>
      ${one.likely && html`<span class="probability"> fault with probability ${shown(one.p_fault, 2)}</span>`}
      <span class="muted">${one.score == null ? "" : ` score ${shown(one.score, 3)}`}${Object.entries(one.other_scores ?? {}).map(([name, score]) => `, ${name} ${shown(score, 4)}`)}</span></p>
    ${one.evidence && html`<details><summary>Evidence</summary><ul>${one.evidence.map((words) => html`<li>${words}</li>`)}</ul></details>`}
    <dl class="texts">${before.map((line) => html`<dt>before</dt><dd lang=${set.target_lang} dir="auto">${line}</dd>`)}
      <dt>translation</dt><dd lang=${set.target_lang} dir="auto">${text ? html`<${Spotted} text=${text} spans=${marks.text} kind="blamed" />` : html`<span class="empty">(empty)</span>`}</dd>
      ${reference && html`<dt>reference</dt><dd lang=${set.target_lang} dir="auto"><${Spotted} text=${reference} spans=${marks.reference} kind="chain" /></dd>`}
      ${source && html`<dt>source</dt><dd lang=${set.source_lang} dir="auto"><${Spotted} text=${source} spans=${marks.source} kind="chain" /></dd>`}</dl></div>`;
}

/** A text with some of its words marked, [start, stop] as Python counts. */
function Spotted({ text, spans = [], kind }) {
  const at = offsets(text);
  const pieces = [];
  let done = 0;
  for (const [start, stop] of spans.map((span) => span.map(at))) {
    if (start < done) continue;
    pieces.push(text.slice(done, start), html`<mark class=${kind}>${text.slice(start, stop)}</mark>`);
    done = stop;
  }
  return [...pieces, text.slice(done)];
}

function around(report, { system, segment }) {
  const document = report.set.documents?.find((d) => d.start <= segment && segment < d.stop);
  const lines = report.system_texts[system];
  return {
    document: document?.id, text: lines[segment], before: lines.slice(Math.max(segment - BEFORE, document?.start ?? 0), segment),
    reference: report.reference_texts[0]?.[segment], source: report.source?.[segment],
  };
}
