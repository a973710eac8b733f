// The discourse profile: each kind of glue with its score, and the very places where it came off.

const BEFORE = 2; // lines of context

/** `everything`: all kinds have their places shown until one is chosen. */
function Profile({ report, view, change, everything = false }) {
  const kind = report.profile.find((p) => p.name === view.kind);
  const baseline = report.baseline ?? 0;
  return html`<section aria-labelledby="profile-title"><h2 id="profile-title">Discourse profile</h2>
    <p class="words">What holds each system's text together, and where it does not. A row opens its worst places, with the words in question marked.</p>
    <${Wide} label="the profile"><table class="scores"><thead><tr><th scope="col">what</th>
      ${report.systems.map((s) => html`<th scope="col"><${Name} text=${s} /></th>`)}<th scope="col" class="left">seen in</th></tr></thead>
      <tbody>${report.profile.map((row) => html`<tr><th scope="row"><button type="button" aria-expanded=${kind === row}
          onClick=${() => change({ kind: kind === row ? null : row.name }, true)}>${row.name}</button></th>
        ${row.scores.map((_, s) => html`<${ProfileCell} row=${row} s=${s} baseline=${baseline} />`)}
        <td class="left">${row.coverage}</td></tr>`)}</tbody></table><//>
    ${report.systems.length > 1 && html`<p class="muted">Higher is better, 1 is best. Each system is tested against ${report.systems[baseline]}: ▲ better, ▼ worse (${"p < .05"}). All p are corrected for the number of kinds and systems.</p>`}
    ${(kind ? [kind] : everything ? report.profile : []).map((one) => html`<${Instances} key=${one.name} report=${report} kind=${one} />`)}
    <${NotMeasured} leftOut=${Object.entries(report.left_out ?? {})} /></section>`;
}

function ProfileCell({ row, s, baseline }) {
  const [score, p, ends] = [row.scores[s], row.corrected?.[s], row.intervals?.[s]];
  const sure = typeof p === "number" && p < 0.05;
  const better = sure && score > row.scores[baseline];
  return html`<td class=${sure ? (better ? "better" : "worse") : ""}>${shown(score, 3)}
    ${ends && html`<small>[${shown(ends[0], 3)}, ${shown(ends[1], 3)}]</small>`}
    ${typeof p === "number" && html`<small>${sure ? (better ? "▲ " : "▼ ") : ""}${pValue(p)}</small>`}</td>`;
}

/** What the profile could have and has not, and why. */
function NotMeasured({ leftOut }) {
  return leftOut.length > 0 && html`<details><summary>Not measured: ${leftOut.map(([name]) => name).join(", ")}</summary>
    <ul>${leftOut.map(([name, why]) => html`<li>${name}: ${why}</li>`)}</ul></details>`;
}

/** The worst places of one kind, system by system. */
function Instances({ report, kind }) {
  const whose = [...new Set(kind.instances.map((one) => one.system))];
  return html`<article class="card instances" aria-label=${kind.name}><h3>${kind.name}: the worst places</h3>
    <p class="muted">${kind.about}</p><p><code>${kind.signature}</code></p>
    ${whose.length === 0 && html`<p>No place stands out.</p>`}
    ${whose.map((s, n) => html`<details open=${n === 0} key=${`${kind.name} ${s}`}><summary>${report.systems[s]}</summary>
      ${kind.instances.filter((one) => one.system === s).map((one) => html`<${Instance} report=${report} one=${one} />`)}</details>`)}</article>`;
}

/** One place with what stands around it: the instance's own texts, or else the report's. */
function Instance({ report, one }) {
  const { set } = report;
  const marks = one.marks ?? {};
  const { document, before, text, reference, source } = "text" in one ? one : around(report, one);
  const where = report.system_texts
    ? html`<a href=${linked({ tab: "segments", open: one.segment + 1 })}>segment ${one.segment + 1}</a>` : `segment ${one.segment + 1}`;
  return html`<div class="instance"><p>${document && `${document}, `}${where}: <b>${one.what}</b>
      <span class="muted"> score ${shown(one.score, 3)}${Object.entries(one.other_scores ?? {}).map(([name, score]) => `, ${name} ${shown(score, 4)}`)}</span></p>
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
