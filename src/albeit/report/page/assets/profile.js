// The discourse profile: each phenomenon with its score, flagged errors, and differences.

/** `everything`: all kinds have their places shown until one is chosen. */
function Profile({ report, view, change, everything = false }) {
  const kind = report.profile.find((p) => p.name === view.kind);
  const baseline = report.baseline ?? 0;
  useEscape(() => kind && change({ kind: null }));
  return html`<section aria-labelledby="profile-title"><h2 id="profile-title">Discourse profile</h2>
    <p class="words">Discourse phenomena of each system. Open a row for its flagged errors, with evidence and suggested fixes. Other differences from the reference are collapsed; most are only paraphrases.</p>
    <${Wide} label="the profile"><table class="scores stacked"><thead><tr><th scope="col">what</th>
      ${report.systems.map((s) => html`<th scope="col"><${Name} text=${s} /></th>`)}<th scope="col" class="left">seen in</th></tr></thead>
      <tbody>${report.profile.map((row) => html`<tr><th scope="row"><button type="button" aria-expanded=${kind === row}
          onClick=${() => change({ kind: kind === row ? null : row.name }, true)}>${row.name}</button>
          <small>score, 95% interval${!row.differences_only && html`<br />flagged errors per thousand words`}</small></th>
        ${row.systems.map((own) => html`<${ProfileCell} own=${own} base=${row.systems[baseline].score} />`)}
        <td class="left" data-label="seen in">${row.coverage}</td></tr>`)}</tbody></table><//>
    ${report.systems.length > 1 && html`<p class="muted">Higher is better, 1 is best. Each system is tested against ${report.systems[baseline]}: ▲ better, ▼ worse (${"p < .05"}). All p are corrected for the number of kinds and systems.</p>`}
    ${(kind ? [kind] : everything ? report.profile : []).map((one) => html`<${Instances} key=${one.name} report=${report} kind=${one} />`)}
    ${report.system_texts && report.systems.length > 1 && report.profile.some((row) => !row.differences_only) && html`<${Against} report=${report} baseline=${baseline} />`}
    <${NotMeasured} leftOut=${Object.entries(report.left_out ?? {})} /></section>`;
}

function ProfileCell({ own, base }) {
  const { score, corrected: p, interval: ends, likely_faults: flagged } = own;
  const sure = typeof p === "number" && p < 0.05;
  const better = sure && score > base;
  return html`<td data-label=${own.system} class=${sure ? (better ? "better" : "worse") : ""}>${shown(score, 3)}
    ${ends && html`<small>[${shown(ends[0], 3)}, ${shown(ends[1], 3)}]</small>`}
    ${typeof p === "number" && html`<small>${sure ? (better ? "▲ " : "▼ ") : ""}${pValue(p)}</small>`}
    ${flagged && html`<small class="flagged">${shown(flagged.per_thousand_words, 2)} [${flagged.interval.map((end) => shown(end, 2)).join(", ")}] flagged</small>`}
    ${flagged === null && html`<small class="flagged">flagged: not available</small>`}</td>`;
}

/** What the profile could have and has not, and why. */
function NotMeasured({ leftOut }) {
  return leftOut.length > 0 && html`<details><summary>Not measured: ${leftOut.map(([name]) => name).join(", ")}</summary>
    <ul>${leftOut.map(([name, why]) => html`<li>${name}: ${why}</li>`)}</ul></details>`;
}

/** The flagged errors of one kind, system by system; differences are folded away. */
function Instances({ report, kind }) {
  const whose = [...new Set(kind.worst.map((one) => one.system))];
  return html`<article class="card instances" aria-label=${kind.name}><h3>${kind.name}: ${kind.differences_only ? "differences" : "flagged errors"}</h3>
    <p class="muted">${kind.about}${kind.not_flagged ? ` Flagged errors are not available: ${kind.not_flagged}.` : kind.differences_only && " Differences only: too few of them are errors to flag any."}</p>${kind.signature && html`<p><code>${kind.signature}</code></p>`}
    ${whose.length === 0 && html`<p>No differences.</p>`}
    ${whose.map((system, n) => html`<${OfSystem} key=${`${kind.name} ${system}`} report=${report} kind=${kind} system=${system} open=${n === 0} />`)}</article>`;
}

function OfSystem({ report, kind, system, open }) {
  const own = kind.worst.filter((one) => one.system === system);
  const likely = own.filter((one) => one.likely);
  const others = own.filter((one) => !one.likely);
  const more = (kind.likely_faults ?? []).filter((one) => one.system === system).length - likely.length;
  return html`<details open=${open}><summary>${system}</summary>
    ${likely.map((one) => html`<${Instance} report=${report} one=${one} />`)}
    ${!kind.differences_only && likely.length === 0 && html`<p>No flagged errors.</p>`}
    ${more > 0 && html`<p class="muted">and ${more} more</p>`}
    ${others.length > 0 && (kind.differences_only
      ? others.map((one) => html`<${Instance} report=${report} one=${one} />`)
      : html`<details class="differences"><summary>${others.length} ${others.length === 1 ? "difference" : "differences"}</summary>${others.map((one) => html`<${Instance} report=${report} one=${one} />`)}</details>`)}</details>`;
}

/** Flagged errors that only one of two systems has, with both lines side by side. */
function Against({ report, baseline }) {
  const [a, setA] = useState(baseline);
  const [b, setB] = useState(report.leaders.find((s) => s !== baseline));
  const [kind, setKind] = useState("all kinds");
  const rows = report.profile.filter((row) => !row.differences_only);
  const chosen = rows.filter((row) => kind === "all kinds" || row.name === kind);
  const same = (f) => `${f.kind} ${f.line} ${(f.suggestion ?? "").toLowerCase()}`;
  const of = (s) => chosen.flatMap((row) => row.likely_faults.filter((f) => f.system === report.systems[s]).map((f) => ({ ...f, key: same(f) })));
  const known = new Set(of(a).map((f) => f.key));
  const found = of(b).filter((f) => !known.has(f.key)).sort((x, y) => y.probability - x.probability);
  const names = report.systems.map((name, n) => [n, name]);
  return html`<article class="card against" aria-label="one system against another"><h3>Where one system loses to another</h3>
    <p class="muted">Flagged errors of the first system that the second doesn't have, most likely first.</p>
    <p><${Select} label="errors of" value=${b} onChange=${(v) => setB(Number(v))} options=${names} />
      <${Select} label="that are not in" value=${a} onChange=${(v) => setA(Number(v))} options=${names} />
      <${Select} label="kind" value=${kind} onChange=${setKind} options=${["all kinds", ...rows.map((row) => row.name)].map((k) => [k, k])} /></p>
    ${a === b || found.length === 0 ? html`<p>None.</p>` : html`<${Wide} label="flagged errors side by side"><table class="flagged"><thead><tr><th scope="col">likelihood</th><th scope="col" class="left">kind</th>
      <th scope="col">segment</th><th scope="col" class="left">suggestion</th><th scope="col" class="left">${report.systems[b]}</th><th scope="col" class="left">${report.systems[a]}</th></tr></thead>
      <tbody>${found.slice(0, 200).map((f) => html`<tr><td>${shown(f.probability, 2)}</td><td class="left">${f.kind}</td>
        <td><a href=${linked({ tab: "segments", open: f.line })}>${f.line}</a></td><td class="left">${f.suggestion}</td>
        <td class="left" lang=${report.set.target_lang}><${Spotted} text=${report.system_texts[b][f.line - 1]} spans=${[[f.start, f.end]]} kind="blamed" /></td>
        <td class="left" lang=${report.set.target_lang}>${report.system_texts[a][f.line - 1]}</td></tr>`)}</tbody></table><//>`}</article>`;
}

/** One instance with its context. */
function Instance({ report, one }) {
  const { set } = report;
  const { segment, text, reference, source, marks } = one;
  const document = report.system_texts && !set.documents ? "" : `${one.document}, `;
  const where = report.system_texts
    ? html`<a href=${linked({ tab: "segments", open: segment })}>segment ${segment}</a>` : `segment ${segment}`;
  return html`<div class="instance"><p>${document}${where}: <b>${one.what}</b>
      ${one.likely && html`<span class="probability"> likelihood ${shown(one.probability, 2)}</span>`}
      <span class="muted">${one.score == null ? "" : ` score ${shown(one.score, 3)}`}${Object.entries(one.other_scores).map(([name, score]) => `, ${name} ${shown(score, 4)}`)}</span></p>
    ${one.likely && html`<details><summary>Evidence</summary><ul>${Object.values(one.evidence).map((words) => html`<li>${words}</li>`)}</ul></details>`}
    <dl class="texts">${one.context.map((line) => html`<dt>before</dt><dd lang=${set.target_lang} dir="auto">${line}</dd>`)}
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
