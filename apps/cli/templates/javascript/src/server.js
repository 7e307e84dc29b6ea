import { appEnvironment, serveApp, stopOnSignals } from "@appserver/sdk";
import { routes } from "./routes.js";

const { host, port } = appEnvironment(process.env);
stopOnSignals(await serveApp({ host, port, routes }));
