// Ask the site's search: node search.js WORKER INDEX QUERY... prints, per query, the addresses found.
const fs = require("fs"), [worker, path, ...queries] = process.argv.slice(2);
const index = JSON.parse(fs.readFileSync(path, "utf8"));
let answer;
globalThis.self = globalThis;
globalThis.postMessage = (message) => answer(message);
require(worker);
const ask = (type, data) => new Promise((done) => { answer = done; onmessage({ data: { type, data } }); });
ask(0, index).then(async () => {
  const found = {};
  for (const input of queries)
    found[input] = (await ask(2, { input })).data.items.map((item) => index.items[item.id].location);
  console.log(JSON.stringify(found));
});
