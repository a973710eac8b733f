// The first page: what was compared, who is better by which metric, and how sure that is.

function Summary({ report, view, change }) {
  const facts = [
    report.set.name !== report.title && report.set.name !== "evalset" && report.set.name,
    `${report.set.segments.toLocaleString("en")} segments`,
    report.set.documents && `${report.set.documents.length} documents`,
    `${report.systems.length} ${report.systems.length === 1 ? "system" : "systems"}`,
    report.lines ? `${report.references.length} ${report.references.length === 1 ? "reference" : "references"}` : "scores only, without texts",
    report.set.source_lang ? `${report.set.source_lang} → ${report.set.target_lang}` : `into ${report.set.target_lang}`,
  ].filter(Boolean);
  return html`<section aria-labelledby="summary-title">
    <h2 id="summary-title">Summary</h2>
    <p class="facts">${facts.join(" · ")}</p>
    <${ReadFirst} warnings=${report.warnings} />
    ${report.words.map((text) => html`<p class="words">${text}</p>`)}
    <${ScoreTable} report=${report} view=${view} change=${change} />
    <div class="cards">${report.metrics.map((metric) => html`<figure class="card">
      <figcaption>${metric.name} <span class="muted">${metric.higher ? "higher is better" : "lower is better"}</span></figcaption>
      <${DotChart} report=${report} metric=${metric} /></figure>`)}</div>
    ${report.interval_notes.map((note) => html`<p class="muted">${note}</p>`)}
    ${report.tests.length > 0 && html`<${Tests} report=${report} />`}
    <details><summary>Reproduce these scores</summary>
      ${report.command && html`<p>Command:</p><pre class="command"><code>${report.command}</code></pre>`}
      <p>Metric signatures:</p>
      <ul class="signatures">${report.metrics.map((m) => html`<li><code>${m.signature}</code></li>`)}</ul>
      ${report.checksums && html`<p>Checksums of the texts, one segment per line (<code>sha256sum</code>):</p>
        <ul class="signatures">${report.checksums.map(([name, sum]) => html`<li>${name} <code>${sum}</code></li>`)}</ul>`}
    </details>
  </section>`;
}

/** Scores as a table, the best first by the metric that it is sorted by, with that metric's clusters; the best of each metric is bold. */
function ScoreTable({ report, view, change }) {
  const best = report.metrics.map((m) => (m.higher ? Math.max : Math.min)(...m.system));
  const columns = { system: { of: (i) => report.systems[i], down: false } };
  for (const m of report.metrics) columns[m.name] = { of: (i) => m.system[i], down: m.higher };
  const order = inOrder(report.systems.keys(), columns, view.rank, report.metrics[0]?.name ?? "system");
  const set = (rank) => change({ rank });
  const test = report.tests.find((t) => t.metric === order.by) ?? report.tests[0];
  const ends = (i, at) => test?.metric === order.by && at > 0 && test.clusters[i] !== test.clusters[order.rows[at - 1]];
  return html`<${Wide} label="scores"><table class="scores"><thead><tr><${SortHead} name="system" order=${order} set=${set}>system<//>
    ${test && html`<th scope="col" class="cluster">cluster by ${test.metric}</th>`}
    ${report.metrics.map((m) => html`<${SortHead} name=${m.name} order=${order} set=${set}>${m.name}${" "}<span
      aria-hidden="true">${m.higher ? "↑" : "↓"}</span><//>`)}</tr></thead>
    <tbody>${order.rows.map((i, at) => html`<tr key=${i} class=${ends(i, at) ? "next" : ""}><th scope="row"><${Name} text=${report.systems[i]} /></th>
      ${test && html`<td class="cluster">${test.clusters[i]}</td>`}
      ${report.metrics.map((m, k) => html`<td class=${m.system[i] === best[k] ? "best" : ""}>${shown(m.system[i], m.decimals)}</td>`)}</tr>`)}</tbody></table><//>
    <p class="muted">↑ higher is better, ↓ lower is better; click a column header to sort.${test && ` Systems of one cluster do not differ significantly by ${test.metric} (at .05, corrected).`}</p>`;
}

/** All pairs of systems, the best first: who is better, and how sure. */
function Tests({ report }) {
  const [name, setName] = useState(report.tests[0].metric);
  const test = report.tests.find((t) => t.metric === name);
  const metric = report.metrics.find((m) => m.name === name);
  const { rows: order } = inOrder(report.systems.keys(), { score: { of: (i) => metric.system[i], down: metric.higher } }, null, "score");
  return html`<h3>Significance of differences</h3>
    <${Select} label="metric" value=${name} onChange=${setName}
      options=${report.tests.map((t) => [t.metric, t.metric])} />
    <${Wide} label="pairs of systems"><table class="pairs"><caption>${test.note} Systems are sorted by rank.</caption>
      <thead><tr><th scope="col">row − column</th>
        ${order.slice(1).map((j) => html`<th scope="col"><${Name} text=${report.systems[j]} /></th>`)}</tr></thead>
      <tbody>${order.slice(0, -1).map((i, at) => html`<tr><th scope="row"><${Name} text=${report.systems[i]} /></th>
        ${order.slice(1).map((j, k) => {
          const p = test.p[i][j];
          if (k < at || p === null) return html`<td class="none">${k < at ? "" : "–"}</td>`;
          const gain = (metric.higher ? 1 : -1) * (metric.system[i] - metric.system[j]);
          const kind = test.corrected[i][j] < 0.05 ? (gain > 0 ? "better" : "worse") : "";
          return html`<td class=${kind}>${signed(metric.system[i] - metric.system[j], metric.decimals)}
            <small>${kind && (gain > 0 ? "▲ better, " : "▼ worse, ")}${pValue(p)}</small></td>`;
        })}</tr>`)}</tbody></table><//>`;
}
