// The discourse profile: each kind of glue with its score, and the very places where it came off.

function Profile({ report, view, change }) {
  const kind = report.profile.find((p) => p.name === view.kind);
  return html`<section aria-labelledby="profile-title"><h2 id="profile-title">Discourse profile</h2>
    <p class="words">What holds each system's text together, and where it does not. A row opens its worst places.</p>
    <div class="wide"><table class="scores"><thead><tr><th scope="col">what</th>
      ${report.systems.map((s) => html`<th scope="col">${s}</th>`)}<th scope="col">seen in</th></tr></thead>
      <tbody>${report.profile.map((row) => html`<tr><th scope="row"><button type="button" aria-expanded=${kind === row}
          onClick=${() => change({ kind: kind === row ? null : row.name }, true)}>${row.name}</button></th>
        ${row.scores.map((_, s) => html`<${ProfileCell} row=${row} s=${s} />`)}
        <td>${row.coverage}</td></tr>`)}</tbody></table></div>
    ${report.systems.length > 1 && html`<p class="muted">Scores go up to 1. p-values are against ${report.systems[0]}, by paired bootstrap.</p>`}
    ${kind && html`<${Instances} report=${report} kind=${kind} />`}</section>`;
}

function ProfileCell({ row, s }) {
  const [score, p, ends] = [row.scores[s], row.p?.[s], row.intervals?.[s]];
  const sure = typeof p === "number" && p < 0.05;
  const better = sure && score > row.scores[0];
  return html`<td class=${sure ? (better ? "better" : "worse") : ""}>${shown(score, 3)}
    ${ends && html`<small>[${shown(ends[0], 3)}, ${shown(ends[1], 3)}]</small>`}
    ${typeof p === "number" && html`<small>${sure ? (better ? "▲ " : "▼ ") : ""}${pValue(p)}</small>`}</td>`;
}

function Instances({ report, kind }) {
  const { target_lang: lang } = report.set;
  return html`<article class="card"><h3>${kind.name}: the worst places</h3>
    <p class="muted">${kind.about} <code>${kind.signature}</code></p>
    ${kind.instances.length === 0
      ? html`<p>No system lost anything.</p>`
      : html`<div class="wide"><table><thead><tr><th scope="col">where</th><th scope="col">system</th><th scope="col">score</th>
        <th scope="col" class="prose">what was lost</th><th scope="col" class="prose">text</th></tr></thead>
        <tbody>${kind.instances.map((one) => html`<tr><th scope="row"><a href=${`#tab=segments&open=${one.segment + 1}`}>${one.segment + 1}</a></th>
          <td>${report.systems[one.system]}</td><td>${shown(one.score, 3)}</td><td class="prose">${one.what}</td>
          <td class="prose" lang=${lang} dir="auto">${report.system_texts[one.system][one.segment]}</td></tr>`)}</tbody></table></div>`}
  </article>`;
}
