import { ask } from "../client.ts";
import { MetricsDocument, type MetricsQuery } from "../generated/operations.ts";
import type { GlobalOptions } from "../global-options.ts";
import { print, printJson } from "../output.ts";
import { renderTable } from "../table.ts";

/** docs/interface/operations.md#last-hour */
interface Traffic {
  readonly requests: number;
  readonly errors: number;
  readonly refused: number;
  readonly limited: number;
  readonly p50Ms: number | null;
  readonly p90Ms: number | null;
  readonly p99Ms: number | null;
}

interface Metrics extends Omit<MetricsQuery["metrics"], "apps" | "proxy" | "hooks" | "activities"> {
  readonly apps: readonly (Traffic & { readonly appName: string })[];
  readonly proxy: Traffic & { readonly routes: readonly (Traffic & { readonly route: string })[] };
  readonly hooks: Readonly<Record<string, number>>;
  readonly activities: Readonly<Record<string, number>>;
}

const columns = ["REQUESTS", "ERRORS", "REFUSED", "LIMITED", "P50", "P90", "P99"];

/** Shows what happened within the last minutes, to all apps or, by route, to one. */
export async function showMetrics(
  options: GlobalOptions,
  appName: string | undefined,
  { minutes }: { readonly minutes?: number },
): Promise<void> {
  const metrics = (await ask(options, MetricsDocument, { appName, minutes })).metrics as Metrics;
  if (options.json) printJson(metrics);
  else print(metricsText(metrics, appName));
}

function metricsText({ apps, proxy, hooks, activities, sampledAt }: Metrics, appName: string | undefined): string {
  const [what, rows] =
    appName === undefined
      ? ["APP", apps.map((app) => [app.appName, ...cellsOf(app)])]
      : ["ROUTE", proxy.routes.map((route) => [route.route, ...cellsOf(route)])];
  const parts = [
    renderTable([what, ...columns], [...rows, ["all", ...cellsOf(proxy)]]),
    countsText("hooks", hooks),
    countsText("activities", activities),
    `as of ${sampledAt}`,
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

function cellsOf({ requests, errors, refused, limited, p50Ms, p90Ms, p99Ms }: Traffic): readonly string[] {
  const times = [p50Ms, p90Ms, p99Ms].map((ms) => (ms === null ? "-" : `${Math.round(ms * 10) / 10} ms`));
  return [...[requests, errors, refused, limited].map(String), ...times];
}

function countsText(title: string, counts: Readonly<Record<string, number>>): string {
  const texts = Object.entries(counts).map(([name, count]) => `${count} ${name.replaceAll("_", " ")}`);
  return texts.length === 0 ? "" : `${title}: ${texts.join(", ")}`;
}
