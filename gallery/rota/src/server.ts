import { runApp } from "@appserver/sdk/run";
import { Duties } from "./duties.ts";
import { routes, tellTomorrow } from "./routes.ts";

await runApp({
  routes: ({ pool, people }) => routes(new Duties(pool), people),
  activities: ({ pool, people }) => ({ "tell-tomorrow": () => tellTomorrow(new Duties(pool), people) }),
});
