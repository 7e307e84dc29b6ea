import type { PageContext } from "@appserver/sdk/page";
import { type FormEvent, useState } from "react";
import { maxDetails, maxTitle, type Task } from "../src/task.ts";
import { call } from "./api.ts";
import { PageLink } from "./page-link.tsx";

export function TaskForm({ page }: { readonly page: PageContext }) {
  const [error, setError] = useState<string>();
  const [isSaving, setSaving] = useState(false);
  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    setSaving(true);
    setError(undefined);
    try {
      const { id } = await call<Task>(page, "POST", "/tasks", { title: data.get("title"), details: data.get("details") });
      page.notify("The task was added.", "success");
      page.navigate(`/${id}`, { replace: true });
    } catch (cause) {
      setError((cause as Error).message);
      setSaving(false);
    }
  }
  return (
    <div className="narrow stack">
      <h1>New task</h1>
      <form className="card stack" onSubmit={(event) => void save(event)}>
        <label>
          Title
          <input name="title" required maxLength={maxTitle} />
        </label>
        <label>
          Details
          <textarea name="details" rows={5} maxLength={maxDetails} />
        </label>
        {error !== undefined && <p role="alert">{error}</p>}
        <div className="row">
          <button type="submit" className="primary" disabled={isSaving}>
            Add
          </button>
          <PageLink page={page} to="">
            Cancel
          </PageLink>
        </div>
      </form>
    </div>
  );
}
