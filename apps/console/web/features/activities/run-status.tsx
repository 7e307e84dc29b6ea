import { Progress, Stack, Text } from "@mantine/core";
import type { RunStatus } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { Status, type Tone } from "../../parts/status.tsx";
import type { Run } from "./activity-queries.ts";

const tones: Readonly<Record<RunStatus, Tone>> = {
  DELAYED: "neutral",
  QUEUED: "active",
  RUNNING: "active",
  COMPLETED: "good",
  FAILED: "bad",
  CANCELED: "neutral",
  TIMED_OUT: "warning",
  CRASHED: "bad",
  EXPIRED: "warning",
};

export const runStatuses = Object.keys(tones) as readonly RunStatus[];

export function RunBadge({ status }: { readonly status: RunStatus }) {
  return <Status tone={tones[status]}>{status}</Status>;
}

/** Shows the progress of a run while a worker has it. */
export function RunProgress({ run }: { readonly run: Run }) {
  const { status, progress, stage } = run;
  if (status !== "RUNNING") return null;
  const percent = Math.round((progress ?? 0) * 100);
  return (
    <Stack gap={4} miw={140} mt={4}>
      <Progress value={percent} animated aria-label={i18n.t("{what}: {percent} percent", { what: run.activity, percent })} />
      <Text size="sm" c="dimmed" className="wrap">
        {percent} %{stage ? `, ${stage}` : ""}
      </Text>
    </Stack>
  );
}
