// The server's start page: a form for a new run, and the list of all runs.

/** A file as the server takes it: its name and bytes, which it reads as the command would. */
function sent(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done({ name: file.name, data: reader.result.slice(reader.result.indexOf(",") + 1) });
    reader.onerror = () => failed(new Error(`${file.name} cannot be read.`));
    reader.readAsDataURL(file);
  });
}

/** A text of the set: its system's or reference's name is the file's, without its ending. */
const named = ({ name, data }) => ({ name: name.replace(/(\.(txt|sgm|tsv))?(\.(gz|zst))?$/i, ""), data });

const USUAL = ["judge", "bleu", "chrf", "ter", "sim", "dr-lex", "cohesion", "coref", "pronouns", "terms", "act"];
const PROFILES = [["quick", "quick"], ["all", "all, with what reads whole documents"], ["none", "none"]];

/** Metrics to choose from: the usual ones, and the others behind a line. */
function MetricChoice({ metrics, chosen, toggle }) {
  const choice = (m) => html`<label class="choice"><input type="checkbox" name="metric" value=${m.name}
    checked=${chosen.has(m.name)} onChange=${() => toggle(m.name)} /> <span><b>${m.name}</b> <small class="muted">${m.summary}</small></span></label>`;
  const usual = USUAL.map((name) => metrics.find((m) => m.name === name)).filter(Boolean), others = metrics.filter((m) => !USUAL.includes(m.name));
  return html`<fieldset><legend>Metrics for this language</legend><div class="metrics">${usual.map(choice)}</div>
    <details><summary>${others.length} more</summary><div class="metrics">${others.map(choice)}</div></details></fieldset>`;
}

const NOTHING = { systems: [], references: [], source: null, documents: null, testset: null, judgments: null };

/** Texts that are pasted: any number of translations, a reference, a source. */
function Pasted({ pasted, set }) {
  const box = (label, value, onChange) => html`<label class="field"><span>${label}</span>
    <textarea rows="4" value=${value} onInput=${(e) => onChange(e.target.value)}></textarea></label>`;
  const change = (n, text) => set({ ...pasted, systems: pasted.systems.map((each, m) => (m === n ? text : each)) });
  return html`<details><summary>Or paste texts, one segment per line</summary><div class="pasted">
    ${pasted.systems.map((text, n) => box(`translation ${n + 1}`, text, (v) => change(n, v)))}
    ${box("reference", pasted.reference, (v) => set({ ...pasted, reference: v }))}
    ${box("source", pasted.source, (v) => set({ ...pasted, source: v }))}</div>
    <button type="button" onClick=${() => set({ ...pasted, systems: [...pasted.systems, ""] })}>Another translation</button></details>`;
}

/** What the form asks the server for. */
function request(settings, files, pasted, metrics) {
  const texts = pasted.systems.map((text, n) => ({ name: `pasted ${n + 1}`, text })).filter(({ text }) => text.trim());
  const source = files.source ? { data: files.source.data } : (pasted.source.trim() ? pasted.source : null);
  return {
    ...settings, metrics, systems: [...files.systems.map(named), ...texts],
    references: [...files.references.map(named), ...(pasted.reference.trim() ? [{ name: "pasted reference", text: pasted.reference }] : [])],
    ...(source && { source }), ...(files.documents && { documents: { data: files.documents.data } }), ...Object.fromEntries(["testset", "judgments"].filter((key) => files[key]).map((key) => [key, files[key]])),
  };
}

function NewRun() {
  const [files, setFiles] = useState(NOTHING);
  const [pasted, setPasted] = useState({ systems: [""], reference: "", source: "" });
  const [settings, setSettings] = useState({ title: "", lang: "en", source_lang: "", profile: "quick", resegment: false });
  const [metrics, setMetrics] = useState([]);
  const [chosen, setChosen] = useState(new Set(["judge", "chrf"]));
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    const asked = new URLSearchParams({ lang: settings.lang, source_lang: settings.source_lang });
    ask(`/api/metrics?${asked}`).then((found) => (setMetrics(found.metrics), setError("")), (e) => setError(e.message));
  }, [settings.lang, settings.source_lang]);
  const pick = (key) => async (event) => {
    const found = await Promise.all([...event.target.files].map(sent));
    setFiles((f) => ({ ...f, [key]: Array.isArray(NOTHING[key]) ? found : found[0] ?? null }));
  };
  const start = async (asked) => {
    setError("");
    setBusy(true);
    try {
      const run = await post("/api/runs", await asked());
      location.assign(`/runs/${run.id}`);
    } catch (e) {
      setError(e.message);
      setBusy(false);
    }
  };
  const able = new Set(metrics.map((m) => m.name));
  const score = (event) => {
    event.preventDefault();
    start(() => request(settings, files, pasted, [...chosen].filter((m) => able.has(m))));
  };
  const set = (key) => (value) => setSettings((s) => ({ ...s, [key]: value }));
  const toggle = (name) => setChosen((c) => {
    const next = new Set(c);
    if (!next.delete(name)) next.add(name);
    return next;
  });
  const file = (key, label) => html`<label class="field"><span>${label}</span><input type="file" name=${key}
    multiple=${Array.isArray(NOTHING[key])} onChange=${pick(key)} /></label>`;
  return html`<form class="card" onSubmit=${score} aria-labelledby="new-title"><h2 id="new-title">New run</h2>
    <p><button type="button" disabled=${busy} onClick=${() => start(() => ask("/api/demonstration"))}>Try the demonstration</button></p>
    <div class="filters">
      <${Field} label="title" value=${settings.title} onChange=${set("title")} placeholder="what is compared" />
      <${Field} label="into (language code)" value=${settings.lang} onChange=${set("lang")} required />
      <${Field} label="from (language code)" value=${settings.source_lang} onChange=${set("source_lang")} />
      <${Select} label="discourse profile" value=${settings.profile} onChange=${set("profile")} options=${PROFILES} /></div>
    <div class="filters">${file("systems", "translations, one file per system")}${file("references", "references")}
      ${file("source", "source text")}${file("documents", "document ids, one per line")}</div>
    <${Pasted} pasted=${pasted} set=${setPasted} />
    <details><summary>A whole test set, human judgments, unaligned documents</summary>
      <div class="filters">${file("testset", "a test set in one file: WMT XML, SGML, TSV, JSONL")}${file("judgments", "human judgments")}</div>
      <label class="choice"><input type="checkbox" name="resegment" checked=${settings.resegment} onChange=${(e) => set("resegment")(e.target.checked)} />
        ${" "}translations are whole documents: cut them to the reference's segments</label></details>
    <${MetricChoice} metrics=${metrics} chosen=${chosen} toggle=${toggle} />
    ${error && html`<p role="alert" class="error">${error}</p>`}
    <button type="submit" class="main" disabled=${busy}>${busy ? "Reading …" : "Score"}</button></form>`;
}

function RunList({ runs, refresh, compared, compare }) {
  return html`<section aria-labelledby="runs-title"><h2 id="runs-title">Runs</h2>
    ${runs.length === 0 && html`<p class="muted">None yet.</p>`}
    <ul class="runs">${runs.map((run) => html`<li class="card" key=${run.id}><${RunCard} run=${run} after=${refresh}>
      ${run.scores && html`<label class="choice"><input type="checkbox" name="compare" checked=${compared.has(run.id)} onChange=${() => compare(run.id)} /> compare</label>`}<//></li>`)}</ul></section>`;
}

/** Scores of the runs chosen: a row per run and system, a column per metric; what the first of them has too is shown as a difference. */
function CompareRuns({ runs }) {
  if (runs.length < 2) return runs.length === 1 && html`<p class="muted" role="status">Choose another run to compare with ${runName(runs[0])}.</p>`;
  const [first] = runs;
  const other = runs.find((run) => run.set?.digest !== first.set?.digest);
  if (other) return html`<p role="alert" class="error">These runs can't be compared: ${runName(first)} (${first.set?.segments ?? "?"} segments) and${" "}
    ${runName(other)} (${other.set?.segments ?? "?"} segments) have different references, so their scores do not measure the same. Choose runs of one test set.</p>`;
  const metrics = [...new Set(runs.flatMap((r) => Object.keys(r.scores)))];
  const cell = (run, m, s, i) => {
    const score = run.scores[m]?.[i], before = first.scores[m]?.[first.systems.indexOf(s)];
    const differs = run !== first && typeof score === "number" && typeof before === "number";
    return html`<td>${shown(score, 4)}${differs && html`<small>${signed(score - before, 4)}</small>`}</td>`;
  };
  return html`<section aria-labelledby="compared-title"><h2 id="compared-title">Runs compared</h2>
    <${Wide} label="runs compared"><table class="scores"><caption>Small numbers: difference to the same system in ${runName(first)}</caption>
    <thead><tr><th scope="col">run</th><th scope="col" class="left">system</th>${metrics.map((m) => html`<th scope="col">${m}</th>`)}</tr></thead><tbody>
    ${runs.flatMap((r) => r.systems.map((s, i) => html`<tr><th scope="row"><${Name} text=${runName(r)} /></th><td class="left"><${Name} text=${s} /></td>
      ${metrics.map((m) => cell(r, m, s, i))}</tr>`))}</tbody></table><//></section>`;
}

function Home() {
  const [view, change] = useView();
  const [runs, setRuns] = useState([]);
  const [error, setError] = useState("");
  const refresh = useCallback(() => ask("/api/runs").then((found) => (setRuns(found.runs), setError("")), (e) => setError(e.message)), []);
  const busy = runs.some(isUnderWay);
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
  return html`<${Top} view=${view} change=${change}>Evaluate machine translation.<//>
    <main>${error && html`<p role="alert" class="error">${error}</p>`}
    <${NewRun} /><${RunList} runs=${runs} refresh=${refresh} compared=${compared} compare=${compare} />
    <${CompareRuns} runs=${chosen} /></main>`;
}

show(Home);
