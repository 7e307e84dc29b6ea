import { type AppCaller, type AppHandler, HttpError } from "@appserver/sdk";
import { maxDetails, maxTitle, type Task } from "./task.ts";
import type { TaskStore } from "./task-store.ts";

/** The API of the app. Paths are relative to `base_path` in app.yaml, where each has its permission. `onAdded` gets each new task. */
export function routes(tasks: TaskStore, onAdded: (task: Task) => void): Readonly<Record<string, AppHandler>> {
  return {
    "GET /tasks": async () => ({ json: { tasks: await tasks.list() } }),
    "POST /tasks": async (call) => {
      const fields = await call.fields();
      const added = {
        title: fields.text("title", { max: maxTitle }),
        details: fields.text("details", { min: 0, max: maxDetails }),
      };
      const task = await tasks.add(added, nameOf(call.caller));
      onAdded(task);
      return { status: 201, json: task };
    },
    "GET /tasks/{id}": async ({ params }) => ({ json: found(await tasks.find(idOf(params))) }),
    "PATCH /tasks/{id}": async (call) => {
      const done = (await call.fields()).flag("done");
      return { json: found(await tasks.setDone(idOf(call.params), done)) };
    },
    "DELETE /tasks/{id}": async ({ params }) => {
      if (!(await tasks.remove(idOf(params)))) throw notFound();
      return { status: 204 };
    },
  };
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
