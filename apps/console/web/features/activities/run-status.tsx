import { Badge, Progress, Stack, Text } from "@mantine/core";
import type { RunStatus } from "../../generated/operations.ts";
import type { Run } from "./activity-queries.ts";

const colors: Readonly<Record<RunStatus, string>> = {
  DELAYED: "gray.5",
  QUEUED: "cyan",
  RUNNING: "blue",
  COMPLETED: "green",
  FAILED: "red",
  CANCELED: "gray.5",
  TIMED_OUT: "orange",
  CRASHED: "red",
  EXPIRED: "orange",
};

export const runStatuses = Object.keys(colors) as readonly RunStatus[];

export function RunBadge({ status }: { readonly status: RunStatus }) {
  return (
    <Badge variant="dot" color={colors[status]} style={{ flexShrink: 0 }}>
      {status.replace("_", " ")}
    </Badge>
  );
}

/** Shows the progress of a run while a worker has it. */
export function RunProgress({ run }: { readonly run: Run }) {
  const { status, progress, stage } = run;
  if (status !== "RUNNING") return null;
  const percent = Math.round((progress ?? 0) * 100);
  return (
    <Stack gap={4} miw={140} mt={4}>
      <Progress value={percent} animated aria-label={`${run.activity}: ${percent} percent`} />
      <Text size="sm" c="dimmed" className="wrap">
        {percent} %{stage ? `, ${stage}` : ""}
      </Text>
    </Stack>
  );
}
