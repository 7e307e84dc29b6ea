import { Alert, Autocomplete, Button, Group, List, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { queryClient } from "../../api/query-client.ts";
import { i18n } from "../../i18n.ts";
import { Dialog, DialogActions, useCommand } from "../../parts/dialog.tsx";
import { JsonField } from "../../parts/json-field.tsx";
import { notify, notifyFailure } from "../../parts/notices.tsx";
import { useAppNames } from "../../parts/use-choices.ts";
import { activitiesQuery, recentRunsQuery, runQuery } from "./activity-queries.ts";
import { InputForm } from "./input-form.tsx";
import { triggerActivity } from "./run-commands.ts";
import { type EnteredInput, useInput } from "./use-input.ts";

interface TriggerProps {
  readonly opened: boolean;
  /** The app that the list is filtered by. */
  readonly app: string | undefined;
  readonly onClose: () => void;
}

/** Starts a run with an input. It leads to the page of the run, which shows its progress. */
export function TriggerActivityDialog({ opened, app, onClose }: TriggerProps) {
  return (
    <Dialog opened={opened} onClose={onClose} size="lg" title={i18n.t("Trigger an activity")}>
      <TriggerForm app={app} onClose={onClose} />
    </Dialog>
  );
}

function TriggerForm({ app, onClose }: Omit<TriggerProps, "opened">) {
  const navigate = useNavigate();
  const [appName, setAppName] = useState(app ?? "");
  const [activity, setActivity] = useState("");
  const [refused, setRefused] = useState<readonly string[]>([]);
  const appNames = useAppNames(appName);
  const { activities, lastRun } = useDeclared(appName.trim(), activity.trim());
  const declared = activities.find(({ name }) => name === activity.trim());
  const input = useInput(declared?.inputSchema);
  const command = useCommand(async () => {
    setRefused([]);
    const read = input.read();
    if (!read) throw new Error(i18n.t("A field has no valid value."));
    try {
      const run = await triggerActivity({ appName: appName.trim(), activity: activity.trim(), input: read.input });
      notify(i18n.t("{activity} is started", { activity: run.activity }));
      onClose();
      await navigate({ to: "/console/activities/runs/$id", params: { id: run.id } });
    } catch (error) {
      if (!(error instanceof ApiError) || error.violations.length === 0) throw error;
      setRefused(input.refuse(error));
      throw new Error(i18n.t("The input does not match the input schema of the activity."));
    }
  });
  const copyInput = async (id: string): Promise<void> => input.show((await queryClient.fetchQuery(runQuery(id)))?.input);
  return (
    <form onSubmit={command.submit} noValidate={input.isForm}>
      <Stack>
        <Autocomplete
          label={i18n.t("App")}
          placeholder="com.example.app"
          data={[...appNames]}
          limit={20}
          value={appName}
          onChange={setAppName}
          required
          data-autofocus
        />
        <Autocomplete
          label={i18n.t("Activity")}
          description={i18n.t("As the app declares it.")}
          data={activities.map(({ name }) => name)}
          value={activity}
          onChange={setActivity}
          required
        />
        <InputPart input={input} />
        {refused.length > 0 && (
          <List size="sm" c="var(--mantine-color-error)">
            {refused.map((text) => (
              <List.Item key={text}>{text}</List.Item>
            ))}
          </List>
        )}
        {lastRun && (
          <Button
            size="xs"
            variant="default"
            w="fit-content"
            onClick={() => void copyInput(lastRun).catch(notifyFailure(i18n.t("The input could not be read")))}
          >
            {i18n.t("Use the input of the last run")}
          </Button>
        )}
        <DialogActions
          command={command}
          label={i18n.t("Trigger")}
          refused={i18n.t("The run was not started")}
          disabled={appName.trim() === "" || activity.trim() === "" || !input.isReady}
          onClose={onClose}
        />
      </Stack>
    </form>
  );
}

/** The form of the input schema, or the input as JSON. */
function InputPart({ input }: { readonly input: EnteredInput }) {
  const [problem, setProblem] = useState<string>();
  const { fields, isForm, drafts, problems, text } = input;
  return (
    <Stack gap="xs">
      {fields && (
        <Group justify="space-between">
          <Text fw={600}>{i18n.t("Input")}</Text>
          <Button size="compact-sm" variant="default" onClick={() => setProblem(input.turn(!isForm))}>
            {isForm ? i18n.t("Enter JSON") : i18n.t("Use the form")}
          </Button>
        </Group>
      )}
      {problem && (
        <Alert color="orange" variant="outline" role="alert" p="xs">
          {problem}
        </Alert>
      )}
      {isForm && fields ? (
        <InputForm fields={fields} drafts={drafts} problems={problems} onChange={input.enter} />
      ) : (
        <JsonField
          label={i18n.t("Input")}
          description={i18n.t(
            "A JSON value that the platform checks against the input schema of the activity. Empty: no input.",
          )}
          value={text}
          onChange={input.type}
        />
      )}
    </Stack>
  );
}

/** Returns the activities that an app declares, and the id of the last run of one of them. */
function useDeclared(appName: string, activity: string) {
  // Names of apps have a dot: without one, the name is not complete.
  const enabled = appName.includes(".");
  const { data: activities = [] } = useQuery({ ...activitiesQuery(appName), enabled, retry: false });
  const { data: runs = [] } = useQuery({ ...recentRunsQuery(appName), enabled });
  return { activities, lastRun: runs.find((run) => run.activity === activity)?.id };
}
