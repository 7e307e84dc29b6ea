import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import type { GlobalOptions } from "../../global-options.ts";
import { print, printJson } from "../../output.ts";
import { connect } from "../../platform.ts";
import { UsageError } from "../../usage-error.ts";

export async function recoverDeliveries(
  options: GlobalOptions,
  hookName: string,
  flags: { readonly since: string; readonly until?: string },
): Promise<void> {
  const since = parseTime("--since", flags.since);
  const until = flags.until === undefined ? {} : { until: parseTime("--until", flags.until) };
  const { recovered } = await connect(options).hooks.recoverDeliveries({ hookName, since, ...until });
  if (options.json) printJson({ recovered });
  else print(`${recovered} dead ${recovered === 1 ? "delivery" : "deliveries"} of ${hookName} will be sent again`);
}

function parseTime(option: string, text: string) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime()))
    throw new UsageError(`${option} must be a time like 2026-01-31T12:00:00Z, got ${JSON.stringify(text)}`);
  return timestampFromDate(at);
}
