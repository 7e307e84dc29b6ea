import { type AppParts, runApp } from "@appserver/sdk/run";
import { checkAll, type Token } from "./check.ts";
import { routes } from "./routes.ts";
import { Services } from "./services.ts";

const tokenOf = ({ settings }: AppParts): Token => ({
  origin: settings.text("status.token_origin"),
  value: settings.text("status.token"),
});

await runApp({
  routes: (parts) => routes(new Services(parts.pool), () => tokenOf(parts)),
  activities: (parts) => ({ "check-all": () => checkAll(new Services(parts.pool), tokenOf(parts)) }),
});
