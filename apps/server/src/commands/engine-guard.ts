import { untilStopped } from "../until-stopped.ts";
import { refuseWords, UsageError } from "../usage-error.ts";

const form = "appserver engine-guard <instance> <socket> [engine socket]";
const instanceForm = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;

/** Runs `appserver engine-guard`, between an orchestrator and its container engine. Throws UsageError for other words. */
export async function engineGuard([
  instance,
  socketPath,
  enginePath = "/var/run/docker.sock",
  ...rest
]: readonly string[]): Promise<void> {
  refuseWords(rest, form);
  if (instance === undefined || socketPath === undefined || !instanceForm.test(instance))
    throw new UsageError(`expected ${form}; the instance is the value of server.instance`);
  await untilStopped(async () => {
    const { startEngineGuard } = await import("../compose/engine-guard.ts");
    return await startEngineGuard({ instance, socketPath, enginePath });
  });
}
