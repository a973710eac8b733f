// A run as a card: what it is of, how far it is, what it found; on the start page, and while its report is awaited.

async function ask(path, options = {}) {
  const answer = await fetch(path, { headers: { "content-type": "application/json" }, ...options });
  const body = answer.status === 204 ? {} : await answer.json();
  if (!answer.ok) throw new Error(body.error || `the server answered ${answer.status}`);
  return body;
}

const post = (path, body = {}) => ask(path, { method: "POST", body: JSON.stringify(body) });

const isUnderWay = (run) => ["queued", "running"].includes(run.state);

/** A run's title; without one, the systems that it compares, or its id. */
function runName({ id, title, systems }) {
  return title || (!systems.length && id) || systems.slice(0, 4).join(", ") + (systems.length > 4 ? ` and ${systems.length - 4} more` : "");
}

/** Seconds in words. */
function duration(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function Progress({ run }) {
  if (!isUnderWay(run)) return null;
  const known = run.state === "running" && run.total;
  const share = known ? run.done / run.total : undefined;
  const said = run.state === "queued" ? "waits for its turn" : !known ? "starts" : share < 1
    ? `${Math.floor(100 * share)} % of ${run.total.toLocaleString("en")} segments scored${run.left ? `, about ${duration(run.left)} left` : ""}` : "writes the report";
  return html`<p><progress aria-label=${`progress of ${runName(run)}`} max="1" value=${share}></progress> ${said}</p>`;
}

/** Scores of each system, as soon as there are some. */
function RunScores({ run }) {
  if (!run.scores) return null;
  const metrics = Object.keys(run.scores);
  return html`<${Wide} label=${`scores of ${runName(run)}`}><table class="scores"><thead><tr><th scope="col">system</th>
    ${metrics.map((m) => html`<th scope="col">${m}</th>`)}</tr></thead><tbody>
    ${run.systems.map((s, i) => html`<tr><th scope="row"><${Name} text=${s} /></th>
      ${metrics.map((m) => html`<td>${shown(run.scores[m][i], run.scores[m].some((v) => Math.abs(v) > 1) ? 2 : 4)}</td>`)}</tr>`)}</tbody></table><//>`;
}

function Warnings({ said }) {
  return said?.length > 0 && html`<ul class="warnings">${said.map((each) => html`<li>Warning: ${each}</li>`)}</ul>`;
}

/** `after` is called when something was done to the run; `children` are further controls. */
function RunCard({ run, after, children }) {
  const [error, setError] = useState("");
  const act = (work) => async () => {
    try {
      setError("");
      await work();
    } catch (e) {
      setError(e.message);
    } finally {
      after();
    }
  };
  const remove = async () => confirm(`Delete ${runName(run)}, with its report?`) && ask(`/api/runs/${run.id}`, { method: "DELETE" });
  return html`<h3><a href=${`/runs/${run.id}`}>${runName(run)}</a></h3>
    <p class="muted">${new Date(run.created * 1000).toLocaleString()} · ${run.systems.length} ${run.systems.length === 1 ? "system" : "systems"}${
      run.set ? ` · ${run.set.segments.toLocaleString("en")} segments` : ""} · ${run.metrics.join(", ")}</p>
    <p role="status"><span class=${`state ${run.state}`}>${run.state}</span>${run.error && html`: <span class="error">${run.error}</span>`}</p>
    <${Progress} run=${run} /><${Warnings} said=${run.warnings} /><${RunScores} run=${run} />
    ${error && html`<p role="alert" class="error">${error}</p>`}
    <p>${isUnderWay(run)
      ? html`<button type="button" onClick=${act(() => post(`/api/runs/${run.id}/cancel`))}>Cancel</button>`
      : html`${run.state !== "done" && html`<button type="button" onClick=${act(() => post(`/api/runs/${run.id}/again`))}>Start again</button>${" "}`}
        <button type="button" onClick=${act(remove)}>Delete</button>`} ${children}</p>`;
}

function Top({ view, change, children }) {
  return html`<header class="top"><h1>albeit</h1><p class="muted">${children}</p><${ThemeButton} view=${view} change=${change} /></header>`;
}

function show(Page) {
  const root = document.getElementById("report");
  root.textContent = "";
  render(html`<${Page} />`, root);
}
