import { startProductionServices } from "@appserver/testing/kit/production";
import { twoServersSuite } from "./two-servers.suite.ts";

twoServersSuite("PostgreSQL and Kratos", await startProductionServices({}, "postgres"));
