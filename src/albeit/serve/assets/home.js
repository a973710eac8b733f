// The server's start page: a form for a new run, and the list of all runs.

async function ask(path, options = {}) {
  const answer = await fetch(path, { headers: { "content-type": "application/json" }, ...options });
  const body = answer.status === 204 ? {} : await answer.json();
  if (!answer.ok) throw new Error(body.error || `the server answered ${answer.status}`);
  return body;
}

const post = (path, body = {}) => ask(path, { method: "POST", body: JSON.stringify(body) });

/** A file's bytes as base64. */
const base64 = (file) => new Promise((resolve, reject) => {
  const reader = new FileReader();
  reader.onload = () => resolve(reader.result.slice(reader.result.indexOf(",") + 1));
  reader.onerror = () => reject(reader.error);
  reader.readAsDataURL(file);
});

/** A text as requests have it that name it themselves. */
const plain = ({ text, data }) => (data === undefined ? text : { data });

/** A file's text, and its name without folder and ending. */
async function named(file) {
  const name = file.name.replace(/(\.(txt|sgm|tsv))?(\.(gz|zst))?$/i, "");
  const bytes = new Uint8Array(await file.arrayBuffer());
  try { // what is no UTF-8, or is compressed, goes to the server's reader as it is
    return { name, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { name, data: await base64(file) };
  }
}

const USUAL = ["bleu", "chrf", "ter", "sim", "judge", "judge-facts", "dr-lex", "cohesion", "coref", "pronouns", "terms", "act"];
const PROFILES = [["quick", "quick"], ["all", "all, with what reads whole documents"], ["none", "none"]];

/** Metrics to choose from: the usual ones, and the others behind a line. */
function MetricChoice({ metrics, chosen, toggle }) {
  const choice = (m) => html`<label class="choice"><input type="checkbox" name="metric" value=${m.name}
    checked=${chosen.has(m.name)} onChange=${() => toggle(m.name)} /> <span><b>${m.name}</b> <small class="muted">${m.summary}</small></span></label>`;
  const usual = metrics.filter((m) => USUAL.includes(m.name)), others = metrics.filter((m) => !USUAL.includes(m.name));
  return html`<fieldset><legend>Metrics that work into this language</legend><div class="metrics">${usual.map(choice)}</div>
    <details><summary>${others.length} more</summary><div class="metrics">${others.map(choice)}</div></details></fieldset>`;
}

function NewRun({ onStart }) {
  const [files, setFiles] = useState({ systems: [], references: [], source: null, documents: null });
  const [settings, setSettings] = useState({ title: "", lang: "en", source_lang: "", profile: "quick" });
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
        ...(files.source && { source: plain(files.source) }), ...(files.documents && { documents: plain(files.documents) }),
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
      <${Field} label="from (language code)" value=${settings.source_lang} onChange=${set("source_lang")} />
      <${Select} label="discourse profile" value=${settings.profile} onChange=${set("profile")} options=${PROFILES} /></div>
    <div class="filters">
      <label class="field"><span>translations, one file a system</span><input type="file" name="systems" multiple required onChange=${pick("systems", true)} /></label>
      <label class="field"><span>references</span><input type="file" name="references" multiple onChange=${pick("references", true)} /></label>
      <label class="field"><span>source text</span><input type="file" name="source" onChange=${pick("source")} /></label>
      <label class="field"><span>document ids, one a line</span><input type="file" name="documents" onChange=${pick("documents")} /></label></div>
    <${MetricChoice} metrics=${metrics} chosen=${chosen} toggle=${toggle} />
    ${error && html`<p role="alert" class="error">${error}</p>`}
    <button type="submit" class="main">Score</button></form>`;
}

function RunList({ runs, refresh, compared, compare }) {
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
      <p role="status"><span class=${`state ${run.state}`}>${run.state}</span>${run.state === "running" && run.total ? `, ${run.done} of ${run.total} segments` : ""}
        ${run.error && html`: <span class="error">${run.error}</span>`}</p>
      ${run.state === "running" && run.total && html`<progress max=${run.total} value=${run.done}></progress>`}
      ${["queued", "running"].includes(run.state)
        ? html`<button type="button" onClick=${act(() => post(`/api/runs/${run.id}/cancel`))}>Cancel</button>`
        : html`${run.state !== "done" && html`<button type="button" onClick=${act(() => post(`/api/runs/${run.id}/again`))}>Start again</button>`}
          ${run.scores && html`<label class="choice"><input type="checkbox" name="compare" checked=${compared.has(run.id)} onChange=${() => compare(run.id)} /> compare</label>`}
          <button type="button" onClick=${act(async () => confirm(`Delete ${run.title || run.id}, with its report?`) && ask(`/api/runs/${run.id}`, { method: "DELETE" }))}>Delete</button>`}
    </li>`)}</ul></section>`;
}

/** Scores of the runs chosen: a row a run and system, a column a metric; what the first of them has too is told as a difference. */
function CompareRuns({ runs }) {
  if (runs.length < 2) return runs.length === 1 && html`<p class="muted" role="status">Choose another run to compare with ${runs[0].title || runs[0].id}.</p>`;
  const metrics = [...new Set(runs.flatMap((r) => Object.keys(r.scores)))];
  const [first] = runs;
  const cell = (run, m, s, i) => {
    const score = run.scores[m]?.[i], before = first.scores[m]?.[first.systems.indexOf(s)];
    const differs = run !== first && typeof score === "number" && typeof before === "number";
    return html`<td>${shown(score, 4)}${differs && html`<small>${signed(score - before, 4)}</small>`}</td>`;
  };
  return html`<section aria-labelledby="compared-title"><h2 id="compared-title">Runs compared</h2>
    <div class="wide"><table class="scores"><caption>Small figures: the difference from the same system in ${first.title || first.id}</caption>
    <thead><tr><th scope="col">run</th><th scope="col" class="left">system</th>${metrics.map((m) => html`<th scope="col">${m}</th>`)}</tr></thead><tbody>
    ${runs.flatMap((r) => r.systems.map((s, i) => html`<tr><th scope="row">${r.title || r.id}</th><td class="left">${s}</td>
      ${metrics.map((m) => cell(r, m, s, i))}</tr>`))}</tbody></table></div></section>`;
}

function Home() {
  const [view, change] = useView();
  const [runs, setRuns] = useState([]);
  const [error, setError] = useState("");
  const refresh = useCallback(() => ask("/api/runs").then((found) => (setRuns(found.runs), setError("")), (e) => setError(e.message)), []);
  const busy = runs.some((run) => ["queued", "running"].includes(run.state));
  useEffect(() => {
    refresh();
    const clock = setInterval(refresh, busy ? 1000 : 10000);
    return () => clearInterval(clock);
  }, [busy]);
  const compared = new Set((view.compare || "").split(" ").filter(Boolean));
  const compare = (id) => {
    if (!compared.delete(id)) compared.add(id);
    change({ compare: [...compared].join(" ") });
  };
  const chosen = [...compared].map((id) => runs.find((run) => run.id === id && run.scores)).filter(Boolean);
  return html`<header class="top"><h1>albeit</h1><p class="muted">Score translations for discourse. <a href="/api">The API</a></p>
      <${ThemeButton} view=${view} change=${change} /></header>
    <main>${error && html`<p role="alert" class="error">${error}</p>`}
    <${NewRun} onStart=${refresh} /><${RunList} runs=${runs} refresh=${refresh} compared=${compared} compare=${compare} />
    <${CompareRuns} runs=${chosen} /></main>`;
}

const root = document.getElementById("report");
root.textContent = "";
render(html`<${Home} />`, root);
