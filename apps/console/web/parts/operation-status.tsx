import { Trans } from "@lingui/react";
import { Alert, Group, Progress, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useOperationChanges } from "../api/live.ts";
import { type Operation, operationQuery } from "../api/queries.ts";
import { i18n } from "../i18n.ts";
import { operationText, stageText } from "./operation-words.ts";
import { Time } from "./time.tsx";

/** Returns the newest state of an operation, and follows it until it is done. */
export function useOperation(given: Operation | null | undefined): Operation | undefined {
  // One that is done does not change.
  const { data } = useQuery({ ...operationQuery(given?.id ?? ""), enabled: given?.done === false });
  const current = given?.done ? given : (data ?? given ?? undefined);
  useOperationChanges(given && !current?.done ? given.id : undefined);
  return current;
}

/** Shows the stage and the progress of an operation, and how it ended. */
export function OperationStatus({ operation }: { readonly operation: Operation }) {
  const { stage, progress, done, error, finishedAt } = operation;
  const what = operationText(operation);
  const percent = Math.round(progress * 100);
  if (error) {
    return (
      <Alert color="red" variant="outline" title={i18n.t("{what} failed", { what })}>
        {error.message}
      </Alert>
    );
  }
  if (done) {
    return (
      <Text size="sm" c="dimmed">
        <Trans
          id="Last operation: {what}, <0/>"
          values={{ what }}
          components={{ 0: <>{finishedAt && <Time at={finishedAt} />}</> }}
        />
      </Text>
    );
  }
  return (
    <Stack gap={4} role="status">
      <Group justify="space-between">
        <Text size="sm" fw={600}>
          {i18n.t("{what}: {stage}", { what, stage: stageText(stage) })}
        </Text>
        <Text size="sm">{percent} %</Text>
      </Group>
      <Progress value={percent} animated aria-label={i18n.t("{what}: {percent} percent", { what, percent })} />
    </Stack>
  );
}
