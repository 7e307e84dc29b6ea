import { type AppCall, type AppHandler, HttpError } from "@appserver/sdk";
import { maxLinks, maxName, maxUrl, type NewLink } from "./link.ts";
import type { Links } from "./links.ts";

/** The API. app.yaml has the permission of each route. */
export function routes(links: Links): Readonly<Record<string, AppHandler>> {
  return {
    "GET /links": async () => ({ json: { links: await links.list() } }),
    "POST /links": async (call) => {
      const link = await newLink(call);
      if (await links.isFull()) throw new HttpError(409, `there are ${maxLinks} links already; remove one first`);
      const added = await links.add(link);
      if (!added) throw new HttpError(409, `the group ${link.group} has a link ${link.title} already`);
      return { status: 201, json: added };
    },
    "DELETE /links/{id}": async ({ params }) => {
      const id = /^\d{1,9}$/.test(params["id"] ?? "") ? Number(params["id"]) : 0;
      if (!(await links.remove(id))) throw new HttpError(404, "there is no such link; another person may have removed it");
      return { status: 204 };
    },
  };
}

async function newLink(call: AppCall): Promise<NewLink> {
  const fields = await call.fields();
  const url = fields.text("url", { max: maxUrl });
  // A page must not run a script that another person entered as an address.
  const protocol = URL.canParse(url) ? new URL(url).protocol : "";
  if (!["http:", "https:"].includes(protocol)) throw new HttpError(400, "url must be an address as https://example.com/page");
  return { group: fields.text("group", { max: maxName }), title: fields.text("title", { max: maxName }), url };
}
