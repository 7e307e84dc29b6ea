import { EngineGuard } from "@appserver/containers-docker/guard";
import { openLog } from "../log/open-log.ts";

/** Starts the guard. The group of the process may connect to its socket. */
export async function startEngineGuard(paths: {
  readonly instance: string;
  readonly socketPath: string;
  readonly enginePath: string;
}): Promise<EngineGuard> {
  const logger = openLog({ service: "appserver-engine-guard", level: "info" });
  const guard = new EngineGuard({ ...paths, socketMode: 0o660, logger });
  await guard.start();
  logger.info(paths, "engine guard: started");
  return guard;
}
