import { type AppCaller, type AppHandler, HttpError } from "@appserver/sdk";
import { maxDetails, maxTitle, type NewTask, type Task } from "./task.ts";
import type { TaskStore } from "./task-store.ts";

/** The API of the app. Paths are relative to `base_path` in app.yaml, where each has its permission. `onAdded` gets each new task. */
export function routes(tasks: TaskStore, onAdded: (task: Task) => void): Readonly<Record<string, AppHandler>> {
  return {
    "GET /tasks": async () => ({ json: { tasks: await tasks.list() } }),
    "POST /tasks": async (call) => {
      const task = await tasks.add(newTask(await call.json()), nameOf(call.caller));
      onAdded(task);
      return { status: 201, json: task };
    },
    "GET /tasks/{id}": async ({ params }) => ({ json: found(await tasks.find(idOf(params))) }),
    "PATCH /tasks/{id}": async (call) => {
      const { done } = objectOf(await call.json());
      if (typeof done !== "boolean") throw new HttpError(400, "done must be true or false");
      return { json: found(await tasks.setDone(idOf(call.params), done)) };
    },
    "DELETE /tasks/{id}": async ({ params }) => {
      if (!(await tasks.remove(idOf(params)))) throw notFound();
      return { status: 204 };
    },
  };
}

function newTask(body: unknown): NewTask {
  const { title, details = "" } = objectOf(body);
  if (typeof title !== "string" || title.trim() === "" || title.length > maxTitle)
    throw new HttpError(400, `title must have 1 to ${maxTitle} characters`);
  if (typeof details !== "string" || details.length > maxDetails)
    throw new HttpError(400, `details must have at most ${maxDetails} characters`);
  return { title: title.trim(), details };
}

function objectOf(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw new HttpError(400, "the body must be an object");
  return body as Readonly<Record<string, unknown>>;
}

/** The database refuses other texts. */
function idOf({ id = "" }: Readonly<Record<string, string>>): string {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) throw notFound();
  return id;
}

function found(task: Task | undefined): Task {
  if (!task) throw notFound();
  return task;
}

function notFound(): HttpError {
  return new HttpError(404, "there is no such task");
}

/** The platform has authenticated the caller: no other header says who it is. */
function nameOf({ userId, appName, machineId }: AppCaller): string {
  return userId ?? appName ?? machineId ?? "an anonymous visitor";
}
