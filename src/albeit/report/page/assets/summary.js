// The first page: what was compared, who is better by which metric, and how sure that is.

function Summary({ report }) {
  const facts = [
    report.set.name !== report.title && report.set.name !== "evalset" && report.set.name,
    `${report.set.segments.toLocaleString("en")} segments`,
    report.set.documents && `${report.set.documents.length} documents`,
    `${report.systems.length} ${report.systems.length === 1 ? "system" : "systems"}`,
    report.lines ? `${report.references.length} ${report.references.length === 1 ? "reference" : "references"}` : "scores alone, without the texts",
    report.set.source_lang ? `${report.set.source_lang} → ${report.set.target_lang}` : `into ${report.set.target_lang}`,
  ].filter(Boolean);
  return html`<section aria-labelledby="summary-title">
    <h2 id="summary-title">Summary</h2>
    <p class="facts">${facts.join(" · ")}</p>
    ${report.words.map((text) => html`<p class="words">${text}</p>`)}
    <${ScoreTable} report=${report} />
    <div class="cards">${report.metrics.map((metric) => html`<figure class="card">
      <figcaption>${metric.name} <span class="muted">${metric.higher ? "higher is better" : "lower is better"}</span></figcaption>
      <${DotChart} report=${report} metric=${metric} /></figure>`)}</div>
    ${report.interval_notes.map((note) => html`<p class="muted">${note}</p>`)}
    ${report.tests.length > 0 && html`<${Tests} report=${report} />`}
    <details><summary>How to get these scores again</summary>
      <ul class="signatures">${report.metrics.map((m) => html`<li><code>${m.signature}</code></li>`)}</ul>
    </details>
  </section>`;
}

/** Scores as a table; the best of each metric is bold. */
function ScoreTable({ report }) {
  const best = report.metrics.map((m) => (m.higher ? Math.max : Math.min)(...m.system));
  return html`<div class="wide"><table class="scores"><thead><tr><th scope="col">System</th>
    ${report.metrics.map((m) => html`<th scope="col">${m.name} <span aria-hidden="true">${m.higher ? "↑" : "↓"}</span></th>`)}</tr></thead>
    <tbody>${report.systems.map((name, i) => html`<tr><th scope="row">${name}</th>
      ${report.metrics.map((m, k) => {
        const cluster = report.tests.find((t) => t.metric === m.name)?.clusters[i];
        return html`<td class=${m.system[i] === best[k] ? "best" : ""}>${shown(m.system[i], m.decimals)}
          ${cluster && html` <sup title=${`cluster ${cluster}`}>${cluster}</sup>`}</td>`;
      })}</tr>`)}</tbody></table></div>
    ${report.tests.length > 0 && html`<p class="muted">Small figures are clusters: systems of one cluster
      cannot be told apart (at .05, corrected).</p>`}`;
}

/** All pairs of systems: who is better, and how sure. */
function Tests({ report }) {
  const [name, setName] = useState(report.tests[0].metric);
  const test = report.tests.find((t) => t.metric === name);
  const metric = report.metrics.find((m) => m.name === name);
  return html`<h3>Is the difference real?</h3>
    <${Select} label="metric" value=${name} onChange=${setName}
      options=${report.tests.map((t) => [t.metric, t.metric])} />
    <div class="wide"><table class="pairs"><caption>${test.note}</caption>
      <thead><tr><th scope="col">row against column</th>
        ${report.systems.map((s) => html`<th scope="col">${s}</th>`)}</tr></thead>
      <tbody>${report.systems.map((row, i) => html`<tr><th scope="row">${row}</th>
        ${report.systems.map((_, j) => {
          const p = test.p[i][j];
          if (p === null) return html`<td class="none">–</td>`;
          const gain = (metric.higher ? 1 : -1) * (metric.system[i] - metric.system[j]);
          const kind = test.corrected[i][j] < 0.05 ? (gain > 0 ? "better" : "worse") : "";
          return html`<td class=${kind}>${signed(metric.system[i] - metric.system[j], metric.decimals)}
            <small>${kind && (gain > 0 ? "▲ better, " : "▼ worse, ")}${pValue(p)}</small></td>`;
        })}</tr>`)}</tbody></table></div>`;
}
