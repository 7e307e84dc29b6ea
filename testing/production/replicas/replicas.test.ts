import { startProductionServices } from "@appserver/testing/kit/production";
import { twoServersSuite } from "./two-servers.suite.ts";

twoServersSuite("PostgreSQL, Redis, RabbitMQ, OpenFGA and Kratos", await startProductionServices({}, "all"));
