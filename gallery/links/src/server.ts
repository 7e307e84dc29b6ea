import { runApp } from "@appserver/sdk/run";
import { Links } from "./links.ts";
import { routes } from "./routes.ts";

await runApp({ routes: ({ pool }) => routes(new Links(pool)) });
