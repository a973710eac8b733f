// The server's start page: a form for a new run, and the list of all runs.

async function ask(path, options = {}) {
  const answer = await fetch(path, { headers: { "content-type": "application/json" }, ...options });
  const body = answer.status === 204 ? {} : await answer.json();
  if (!answer.ok) throw new Error(body.error || `the server answered ${answer.status}`);
  return body;
}

const post = (path, body = {}) => ask(path, { method: "POST", body: JSON.stringify(body) });

/** A file's text, and its name without folder and ending. */
async function named(file) {
  return { name: file.name.replace(/\.(txt|gz|sgm|tsv)$/i, ""), text: await file.text() };
}

function NewRun({ onStart }) {
  const [files, setFiles] = useState({ systems: [], references: [], source: null, documents: null });
  const [settings, setSettings] = useState({ title: "", lang: "en", source_lang: "" });
  const [metrics, setMetrics] = useState([]);
  const [chosen, setChosen] = useState(new Set(["chrf"]));
  const [error, setError] = useState("");
  useEffect(() => {
    const asked = new URLSearchParams({ lang: settings.lang, source_lang: settings.source_lang });
    ask(`/api/metrics?${asked}`).then((found) => (setMetrics(found.metrics), setError("")), (e) => setError(e.message));
  }, [settings.lang, settings.source_lang]);
  const pick = (key, several) => async (event) => {
    const found = await Promise.all([...event.target.files].map(named));
    setFiles((f) => ({ ...f, [key]: several ? found : found[0] ?? null }));
  };
  const start = async (event) => {
    event.preventDefault();
    setError("");
    const able = new Set(metrics.map((m) => m.name));
    try {
      onStart(await post("/api/runs", {
        ...settings, systems: files.systems, references: files.references, metrics: [...chosen].filter((m) => able.has(m)),
        ...(files.source && { source: files.source.text }), ...(files.documents && { documents: files.documents.text }),
      }));
    } catch (e) {
      setError(e.message);
    }
  };
  const set = (key) => (value) => setSettings((s) => ({ ...s, [key]: value }));
  const toggle = (name) => setChosen((c) => {
    const next = new Set(c);
    if (!next.delete(name)) next.add(name);
    return next;
  });
  return html`<form class="card" onSubmit=${start} aria-labelledby="new-title"><h2 id="new-title">New run</h2>
    <div class="filters">
      <${Field} label="title" value=${settings.title} onChange=${set("title")} placeholder="what is compared" />
      <${Field} label="into (language code)" value=${settings.lang} onChange=${set("lang")} required />
      <${Field} label="from (language code)" value=${settings.source_lang} onChange=${set("source_lang")} /></div>
    <div class="filters">
      <label class="field"><span>translations, one file a system</span><input type="file" name="systems" multiple required onChange=${pick("systems", true)} /></label>
      <label class="field"><span>references</span><input type="file" name="references" multiple onChange=${pick("references", true)} /></label>
      <label class="field"><span>source text</span><input type="file" name="source" onChange=${pick("source")} /></label>
      <label class="field"><span>document ids, one a line</span><input type="file" name="documents" onChange=${pick("documents")} /></label></div>
    <fieldset><legend>Metrics that work into this language</legend><div class="choices">
      ${metrics.map((m) => html`<label class="choice" title=${m.summary}><input type="checkbox" name="metric" value=${m.name}
        checked=${chosen.has(m.name)} onChange=${() => toggle(m.name)} /> ${m.name}</label>`)}</div></fieldset>
    ${error && html`<p role="alert" class="error">${error}</p>`}
    <button type="submit">Score</button></form>`;
}

function RunList({ runs, refresh }) {
  const act = (work) => async () => {
    try {
      await work();
    } finally {
      refresh();
    }
  };
  return html`<section aria-labelledby="runs-title"><h2 id="runs-title">Runs</h2>
    ${runs.length === 0 && html`<p class="muted">None yet.</p>`}
    <ul class="runs">${runs.map((run) => html`<li class="card" key=${run.id}>
      <h3>${run.state === "done" ? html`<a href=${`/runs/${run.id}`}>${run.title || run.id}</a>` : run.title || run.id}</h3>
      <p class="muted">${new Date(run.created * 1000).toLocaleString()} · ${run.systems.join(", ")} · ${run.metrics.join(", ")}</p>
      <p role="status">${run.state}${run.state === "running" && run.total ? `, ${run.done} of ${run.total} segments` : ""}
        ${run.error && html`: <span class="error">${run.error}</span>`}</p>
      ${run.state === "running" && run.total && html`<progress max=${run.total} value=${run.done}></progress>`}
      ${["queued", "running"].includes(run.state)
        ? html`<button type="button" onClick=${act(() => post(`/api/runs/${run.id}/cancel`))}>Cancel</button>`
        : html`${run.state !== "done" && html`<button type="button" onClick=${act(() => post(`/api/runs/${run.id}/again`))}>Start again</button>`}
          <button type="button" onClick=${act(() => ask(`/api/runs/${run.id}`, { method: "DELETE" }))}>Delete</button>`}
    </li>`)}</ul></section>`;
}

/** Scores of several runs in one table: a row a run and system, a column a metric. */
function CompareRuns({ runs }) {
  const done = runs.filter((r) => r.scores);
  if (done.length < 2) return null;
  const metrics = [...new Set(done.flatMap((r) => Object.keys(r.scores)))];
  return html`<details><summary>Compare runs</summary><div class="wide"><table class="scores"><thead><tr><th scope="col">run</th><th scope="col">system</th>
    ${metrics.map((m) => html`<th scope="col">${m}</th>`)}</tr></thead><tbody>
    ${done.flatMap((r) => r.systems.map((s, i) => html`<tr><th scope="row">${r.title || r.id}</th><td>${s}</td>
      ${metrics.map((m) => html`<td>${r.scores[m] ? shown(r.scores[m][i], 4) : "–"}</td>`)}</tr>`))}</tbody></table></div></details>`;
}

function Home() {
  const [runs, setRuns] = useState([]);
  const [error, setError] = useState("");
  const refresh = useCallback(() => ask("/api/runs").then((found) => (setRuns(found.runs), setError("")), (e) => setError(e.message)), []);
  const busy = runs.some((run) => ["queued", "running"].includes(run.state));
  useEffect(() => {
    refresh();
    const clock = setInterval(refresh, busy ? 1000 : 10000);
    return () => clearInterval(clock);
  }, [busy]);
  return html`<header class="top"><h1>albeit</h1><p class="muted">Score translations for discourse. <a href="/api">The API</a></p></header>
    <main>${error && html`<p role="alert" class="error">${error}</p>`}
    <${NewRun} onStart=${refresh} /><${RunList} runs=${runs} refresh=${refresh} /><${CompareRuns} runs=${runs} /></main>`;
}

const root = document.getElementById("report");
root.textContent = "";
render(html`<${Home} />`, root);
