import { runApp } from "@appserver/sdk/run";
import { Bookings } from "./bookings.ts";
import { routes } from "./routes.ts";

await runApp({ routes: ({ pool, people }) => routes(new Bookings(pool), people) });
