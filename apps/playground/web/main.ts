import "./playground.css";
import { updateSchema } from "cm6-graphql";
import { parse, print } from "graphql";
import { jsonEditor, jsonView, queryEditor, setText } from "./editors.ts";
import { firstQuery } from "./first-query.ts";
import { type Operation, operationsOf } from "./operations.ts";
import { readSchema, send, subscribe } from "./requests.ts";
import { SchemaView } from "./schema-view.ts";

function find<E extends HTMLElement = HTMLElement>(id: string): E {
  return document.getElementById(id) as E;
}

const [runButton, choice, state, schemaPane] = [
  find("run"),
  find<HTMLSelectElement>("operation"),
  find("state"),
  find("schema"),
];
const schemaView = new SchemaView(schemaPane);
let running: AbortController | undefined;
let operations: readonly Operation[] = [];

const stored = (key: string, initial: string): string => localStorage.getItem(`playground.${key}`) ?? initial;
const store = (key: string, text: string): void => localStorage.setItem(`playground.${key}`, text);

const query = queryEditor({
  parent: find("query"),
  label: "Operations",
  text: stored("query", firstQuery),
  onRun: toggle,
  onChange: ({ state: { doc, selection } }) => {
    store("query", doc.toString());
    offer(doc.toString(), selection.main.head);
  },
  onShowType: (name, field) => {
    unfoldSchema(true);
    schemaView.show(name, field);
  },
});
const [variables, headers] = (["variables", "headers"] as const).map((part) =>
  jsonEditor({
    parent: find(part),
    label: part === "variables" ? "Variables, as JSON" : "Headers, as JSON",
    text: part === "variables" ? stored(part, "") : "",
    onRun: toggle,
    onChange: ({ state: { doc } }) => part === "variables" && store(part, doc.toString()),
  }),
);
const response = jsonView(find("response"), "Response");

offer(query.state.doc.toString(), 0);
runButton.addEventListener("click", toggle);
find("prettify").addEventListener("click", prettify);
find("toggle-schema").addEventListener("click", () => unfoldSchema(schemaPane.hidden !== false));
for (const part of ["variables", "headers"]) find(`tab-${part}`).addEventListener("click", () => choosePart(part));
document.querySelector("[role=tablist]")?.addEventListener("keydown", (event) => {
  const { key } = event as KeyboardEvent;
  if (key !== "ArrowLeft" && key !== "ArrowRight") return;
  const other = find("variables").hidden ? "variables" : "headers";
  choosePart(other);
  find(`tab-${other}`).focus();
});
void loadSchema();

/** Completion and the documentation follow when the schema is there. One can type before. */
async function loadSchema(): Promise<void> {
  try {
    const schema = await readSchema();
    updateSchema(query, schema);
    schemaView.use(schema);
  } catch (error) {
    schemaView.fail(reasonOf(error));
  }
}

/** Lists the operations. The one in which the cursor is is chosen. */
function offer(text: string, at: number): void {
  const found = operationsOf(text);
  if (!found) return;
  operations = found;
  const inside = found.findIndex(({ from, to }) => from <= at && at <= to);
  const before = choice.selectedIndex;
  choice.replaceChildren(...found.map(({ name, kind }, index) => new Option(name ?? `Unnamed ${kind}`, String(index))));
  choice.selectedIndex = inside >= 0 ? inside : Math.min(Math.max(before, 0), found.length - 1);
}

function toggle(): void {
  if (running) running.abort();
  else void run();
}

async function run(): Promise<void> {
  const startedAt = performance.now();
  const controller = new AbortController();
  running = controller;
  setRunning(true);
  try {
    const text = query.state.doc.toString();
    parse(text);
    const operation = operations[choice.selectedIndex];
    const given = jsonOf(variables?.state.doc.toString(), "Variables");
    const ofHeaders = (jsonOf(headers?.state.doc.toString(), "Headers") ?? {}) as Readonly<Record<string, string>>;
    const request = { query: text, operationName: operation?.name, variables: given };
    if (operation?.kind === "subscription") {
      state.textContent = "Waits for events …";
      await subscribe(request, ofHeaders, controller.signal, (result) => {
        show(result);
        state.textContent = `Received at ${new Date().toLocaleTimeString()}`;
      });
      if (!controller.signal.aborted) state.textContent = "The subscription has ended";
    } else {
      show(await send(request, ofHeaders, controller.signal));
      state.textContent = `${Math.round(performance.now() - startedAt)} ms`;
    }
  } catch (error) {
    state.textContent = controller.signal.aborted ? "Stopped" : "Failed";
    if (!controller.signal.aborted) show({ error: reasonOf(error) });
  } finally {
    running = undefined;
    setRunning(false);
  }
}

function setRunning(isRunning: boolean): void {
  runButton.textContent = isRunning ? "Stop" : "Run";
  if (isRunning) state.textContent = "Runs …";
}

function show(result: unknown): void {
  setText(response, JSON.stringify(result, null, 2));
  // On a phone it is below.
  find("response").scrollIntoView({ block: "nearest" });
}

function prettify(): void {
  try {
    setText(query, `${print(parse(query.state.doc.toString()))}\n`);
  } catch (error) {
    state.textContent = reasonOf(error);
  }
}

function jsonOf(text = "", what = ""): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${what}: ${reasonOf(error)}`);
  }
}

function choosePart(chosen: string): void {
  for (const part of ["variables", "headers"]) {
    find(part).hidden = part !== chosen;
    find(`tab-${part}`).setAttribute("aria-selected", String(part === chosen));
    find(`tab-${part}`).tabIndex = part === chosen ? 0 : -1;
  }
}

function unfoldSchema(isOpen: boolean): void {
  schemaPane.hidden = !isOpen;
  find("toggle-schema").setAttribute("aria-expanded", String(isOpen));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
