import type { PageContext } from "@appserver/sdk/page";
import { PageLink, Shown, useLoaded } from "@appserver/sdk/react";
import type { Task } from "../src/task.ts";

export function TaskList({ page }: { readonly page: PageContext }) {
  const [loaded] = useLoaded<{ readonly tasks: readonly Task[] }>(page, "/tasks");
  return (
    <>
      <header className="row spread">
        <h1>__TITLE__</h1>
        <PageLink page={page} to="/new" className="button primary">
          New task
        </PageLink>
      </header>
      <Shown loaded={loaded}>{({ tasks }) => <Tasks page={page} tasks={tasks} />}</Shown>
    </>
  );
}

function Tasks({ page, tasks }: { readonly page: PageContext; readonly tasks: readonly Task[] }) {
  if (tasks.length === 0) return <p className="empty">There is no task yet.</p>;
  return (
    <div className="scroll">
      <table>
        <thead>
          <tr>
            <th>Task</th>
            <th>Status</th>
            <th>Added</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.id}>
              <td>
                <PageLink page={page} to={`/${task.id}`}>
                  {task.title}
                </PageLink>
              </td>
              <td>
                <TaskStatus task={task} />
              </td>
              <td>{new Date(task.createdAt).toLocaleDateString(page.locale)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

export function TaskStatus({ task }: { readonly task: Task }) {
  return task.doneAt === undefined ? (
    <span className="badge" data-tone="active">
      Open
    </span>
  ) : (
    <span className="badge" data-tone="good">
      Done
    </span>
  );
}
