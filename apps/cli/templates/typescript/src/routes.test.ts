import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type RunningApp, serveApp } from "@appserver/sdk";
import { routes } from "./routes.ts";
import type { Task } from "./task.ts";
import type { TaskStore } from "./task-store.ts";

/** Tasks in memory, so that the test needs no database. */
class MemoryTasks implements TaskStore {
  #tasks: Task[] = [];

  async list(): Promise<readonly Task[]> {
    return [...this.#tasks];
  }

  async find(id: string): Promise<Task | undefined> {
    return this.#tasks.find((task) => task.id === id);
  }

  async add(task: Pick<Task, "title" | "details">, createdBy: string): Promise<Task> {
    const added = { ...task, id: crypto.randomUUID(), createdBy, createdAt: new Date().toISOString() };
    this.#tasks.unshift(added);
    return added;
  }

  async setDone(id: string, done: boolean): Promise<Task | undefined> {
    this.#tasks = this.#tasks.map(({ doneAt, ...task }) => {
      const now = doneAt ?? new Date().toISOString();
      const isDone = task.id === id ? done : doneAt !== undefined;
      return isDone ? { ...task, doneAt: now } : task;
    });
    return this.find(id);
  }

  async remove(id: string): Promise<boolean> {
    const before = this.#tasks.length;
    this.#tasks = this.#tasks.filter((task) => task.id !== id);
    return this.#tasks.length < before;
  }
}

describe("the API", () => {
  const added: Task[] = [];
  let app: RunningApp;
  before(async () => {
    app = await serveApp({ host: "127.0.0.1", port: 0, routes: routes(new MemoryTasks(), (task) => added.push(task)) });
  });
  after(() => app.stop());

  async function send(method: string, path: string, body?: object): Promise<{ status: number; json: unknown }> {
    const sent = body && { body: JSON.stringify(body) };
    // The platform sets the header, and removes it from requests of others.
    const headers = { "x-user-id": "ada" };
    const response = await fetch(`http://127.0.0.1:${app.port}${path}`, { method, headers, ...sent });
    const text = await response.text();
    return { status: response.status, json: text === "" ? undefined : JSON.parse(text) };
  }

  test("a task is added, listed, done and removed", async () => {
    const { status, json } = await send("POST", "/tasks", { title: " Call Bob ", details: "About the offer" });
    const task = json as Task;
    assert.deepEqual([status, task.title, task.createdBy], [201, "Call Bob", "ada"]);
    assert.deepEqual(added, [task]);
    assert.deepEqual((await send("GET", "/tasks")).json, { tasks: [task] });
    assert.notEqual(((await send("PATCH", `/tasks/${task.id}`, { done: true })).json as Task).doneAt, undefined);
    assert.equal((await send("DELETE", `/tasks/${task.id}`)).status, 204);
    assert.equal((await send("GET", `/tasks/${task.id}`)).status, 404);
  });

  test("a wrong body is refused with what was expected", async () => {
    const refused = { status: 400, json: { error: "title must have 1 to 100 characters" } };
    for (const title of ["", " ", "a".repeat(101), 1]) assert.deepEqual(await send("POST", "/tasks", { title }), refused);
    assert.equal((await send("POST", "/tasks", [])).status, 400);
    assert.equal((await send("GET", "/tasks/1")).status, 404);
  });
});
