import { HttpError } from "@appserver/sdk";

/** @type {Record<string, import("@appserver/sdk").AppHandler>} */
export const routes = {
  "GET /hello/{name}": ({ params, caller }) => {
    if (params.name === "unknown") throw new HttpError(404, "there is no such person");
    return { json: { hello: params.name, from: caller.userId ?? caller.appName ?? "an anonymous visitor" } };
  },
};
