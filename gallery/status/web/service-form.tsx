import type { PageContext } from "@appserver/sdk/page";
import { callBackend, PageLink, SendForm } from "@appserver/sdk/react";
import { maxName, maxUrl } from "../src/service.ts";

export function ServiceForm({ page }: { readonly page: PageContext }) {
  const add = async ({ name, url }: Readonly<Record<string, string>>): Promise<void> => {
    const { id } = await callBackend<{ readonly id: number }>(page, "POST", "/services", { name, url });
    page.navigate(`/${id}`, { replace: true });
  };
  const cancel = (
    <PageLink page={page} to="">
      Cancel
    </PageLink>
  );
  return (
    <div className="narrow stack">
      <h1>New service</h1>
      <SendForm send={add} submit="Watch" cancel={cancel}>
        <label>
          Name
          <input name="name" required maxLength={maxName} />
        </label>
        <label>
          Address
          <input
            name="url"
            type="url"
            required
            maxLength={maxUrl}
            pattern="https?://.+"
            placeholder="https://shop.example.com/health"
          />
        </label>
        <p className="small dim">
          It is fetched every minute. The service is up if it responds within 5 s with a status below 400.
        </p>
      </SendForm>
    </div>
  );
}
