// The discourse profile: each kind of glue with its score, and the very places where it came off.

function Profile({ report, view, change }) {
  const kind = report.profile.find((p) => p.name === view.kind);
  return html`<section aria-labelledby="profile-title"><h2 id="profile-title">Discourse profile</h2>
    <p class="words">What holds each system's text together, and where it does not. A row opens its instances.</p>
    <div class="wide"><table class="scores"><thead><tr><th scope="col">what</th>
      ${report.systems.map((s) => html`<th scope="col">${s}</th>`)}<th scope="col">seen in</th></tr></thead>
      <tbody>${report.profile.map((p) => html`<tr><th scope="row"><button type="button" aria-expanded=${kind === p}
          onClick=${() => change({ kind: kind === p ? null : p.name }, true)}>${p.name}</button></th>
        ${p.systems.map((s) => html`<td class=${s.p !== null && s.p < 0.05 ? s.verdict : ""}>${shown(s.score, p.decimals)}
          ${s.interval && html`<small>[${shown(s.interval[0], p.decimals)}, ${shown(s.interval[1], p.decimals)}]</small>`}
          ${s.p !== null && html`<small>${s.p < 0.05 ? (s.verdict === "better" ? "▲ " : "▼ ") : ""}${pValue(s.p)}</small>`}</td>`)}
        <td>${p.coverage}</td></tr>`)}</tbody></table></div>
    <p class="muted">p-values are against ${report.systems[0]}.</p>
    ${kind && html`<${Instances} report=${report} kind=${kind} />`}</section>`;
}

function Instances({ report, kind }) {
  return html`<article class="card"><h3>${kind.name}</h3><p class="muted">${kind.about} <code>${kind.signature}</code></p>
    ${kind.instances.length === 0 && html`<p>No fault was found.</p>`}
    ${kind.instances.length > 0 && html`<div class="wide"><table><thead><tr><th scope="col">where</th><th scope="col">system</th>
      <th scope="col">what</th><th scope="col">text</th><th scope="col">reference</th></tr></thead>
      <tbody>${kind.instances.map((one) => html`<tr><th scope="row">
        <a href=${`#tab=segments&open=${one.segment + 1}`}>${one.segment + 1}</a></th><td>${one.system}</td>
        <td class="prose">${one.what}</td>
        <td class="prose" lang=${report.set.target_lang} dir="auto">${report.system_texts[report.systems.indexOf(one.system)][one.segment]}</td>
        <td class="prose" lang=${report.set.target_lang} dir="auto">${report.reference_texts[0]?.[one.segment] ?? ""}</td></tr>`)}</tbody></table></div>`}
  </article>`;
}
