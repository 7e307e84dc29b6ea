import { runApp } from "@appserver/sdk/run";
import { Expenses } from "./expenses.ts";
import { routes } from "./routes.ts";

await runApp({ routes: ({ pool, people }) => routes(new Expenses(pool), people) });
