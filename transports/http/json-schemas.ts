import { readJsonSchema, schemaNames } from "@appserver/contracts/schemas";
import type { Route } from "./route.ts";

/** The schemas change with the version of the platform only. */
const cacheControl = "public, max-age=3600";

/** Returns the routes of `GET /schemas/<name>.json`, the JSON schemas by which editors check `app.yaml` and `platform.yaml`. */
export function jsonSchemaRoutes(): readonly Route[] {
  return schemaNames.map((name) => {
    const text = readJsonSchema(name);
    return {
      url: `/schemas/${name}.json`,
      methods: {
        GET: (_request, reply) => reply.header("cache-control", cacheControl).type("application/schema+json").send(text),
      },
    };
  });
}
