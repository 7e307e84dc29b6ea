import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { type Dispatch, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { send } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { DeleteSettingsDocument, type SettingsResultFragment, UpdateSettingsDocument } from "../../generated/operations.ts";
import { i18n } from "../../i18n.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { notify } from "../../parts/notices.tsx";
import { loadRules } from "./check-value.ts";
import { settingsQuery, withoutSecrets } from "./settings-queries.ts";
import { type FormAction, type FormState, updateOf } from "./use-settings-form.ts";

interface ActionsProps {
  readonly state: FormState;
  readonly dispatch: Dispatch<FormAction>;
  readonly displayName: string;
  readonly hasStored: boolean;
  readonly problemsOf: (key: string) => readonly string[];
}

/** Saves, discards and removes. Asks before edits are lost. */
export function FormActions({ state, dispatch, displayName, hasStored, problemsOf }: ActionsProps) {
  const [isBusy, setBusy] = useState(false);
  const [asksRemoval, setAsksRemoval] = useState(false);
  const { base, edits, overlaps, failure } = state;
  const { appId, version } = base;
  const count = edits.size;
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => count > 0 && current.pathname !== next.pathname,
    enableBeforeUnload: () => count > 0,
    withResolver: true,
  });

  /** Shows the settings of a success. Shows a refusal at the fields that it names, and keeps what was typed. */
  const settle = async ({ settings, error }: SettingsResultFragment): Promise<void> => {
    if (settings) {
      const saved = withoutSecrets(settings);
      queryClient.setQueryData(settingsQuery(appId).queryKey, saved);
      return dispatch({ kind: "saved", settings: saved });
    }
    if (error?.code === "CONFLICT") return queryClient.invalidateQueries({ queryKey: settingsQuery(appId).queryKey });
    const { problems, others } = problemsIn(error, state);
    const named = problems.size > 0 && others.length === 0 ? i18n.t("The platform refuses some values.") : error?.message;
    dispatch({ kind: "refused", problems, failure: [named, ...others].filter(Boolean).join(" ") });
    focusFirst(problems);
  };

  const save = async (): Promise<void> => {
    await loadRules();
    const found = [...edits.keys()].map((key) => [key, problemsOf(key)] as const).filter(([, list]) => list.length > 0);
    const problems = new Map(found);
    dispatch({ kind: "refused", problems, failure: undefined });
    if (problems.size > 0) return focusFirst(problems);
    setBusy(true);
    try {
      const variables = { appId, settings: updateOf(state), expectedVersion: version };
      const { result } = await send(UpdateSettingsDocument, variables);
      await settle(result);
      if (result.success) notify(i18n.t("The settings of {displayName} are saved", { displayName }));
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      dispatch({ kind: "refused", problems: new Map(), failure: i18n.t("{message}. What you typed is kept.", { message }) });
    } finally {
      setBusy(false);
    }
  };

  const removeAll = async (): Promise<void> => {
    const { result } = await send(DeleteSettingsDocument, { appId, expectedVersion: version });
    if (!result.success) {
      void queryClient.invalidateQueries({ queryKey: settingsQuery(appId).queryKey });
      throw new ApiError(
        result.error?.code ?? "INTERNAL_ERROR",
        result.error?.message ?? i18n.t("the settings were not removed"),
      );
    }
    await queryClient.invalidateQueries({ queryKey: settingsQuery(appId).queryKey });
    notify(i18n.t("{displayName} uses its defaults", { displayName }));
  };

  return (
    <>
      <Stack className="save-bar" py="sm" gap="xs">
        {failure && (
          <Alert color="red" variant="outline" role="alert" title={i18n.t("The settings were not saved")}>
            {failure}
          </Alert>
        )}
        <Group justify="space-between">
          <Text size="sm" c="dimmed" role="status">
            {i18n.t("{count, plural, =0 {No changes} one {# change, not saved} other {# changes, not saved}}", { count })}
          </Text>
          <Group gap="xs">
            {hasStored && count === 0 && (
              <Button
                type="button"
                variant="outline"
                color="red"
                c="var(--mantine-color-error)"
                onClick={() => setAsksRemoval(true)}
              >
                {i18n.t("Remove all values")}
              </Button>
            )}
            {count > 0 && (
              <Button type="button" variant="default" disabled={isBusy} onClick={() => dispatch({ kind: "discard" })}>
                {i18n.t("Discard")}
              </Button>
            )}
            <BusyButton
              type="button"
              disabled={count === 0 || overlaps.length > 0}
              loading={isBusy}
              onClick={() => void save()}
              data-autofocus
            >
              {i18n.t("Save")}
            </BusyButton>
          </Group>
        </Group>
      </Stack>
      <Confirm
        opened={asksRemoval}
        title={i18n.t("Remove all stored values?")}
        action={i18n.t("Remove")}
        onCancel={() => setAsksRemoval(false)}
        onConfirm={removeAll}
      >
        <Text>
          {i18n.t("{displayName} uses its defaults again, and its secrets are deleted. This cannot be undone.", {
            displayName,
          })}
        </Text>
      </Confirm>
      <Confirm
        opened={blocker.status === "blocked"}
        title={i18n.t("Leave without saving?")}
        action={i18n.t("Leave")}
        onCancel={() => blocker.reset?.()}
        onConfirm={async () => blocker.proceed?.()}
      >
        <Text>{i18n.t("What you changed on this page is not saved, and is lost when you leave.")}</Text>
      </Confirm>
    </>
  );
}

/** Returns the violations of a refusal by key, and those of keys that the form does not have. */
function problemsIn(error: SettingsResultFragment["error"], { base }: FormState) {
  const { violations } = (error?.details ?? {}) as {
    readonly violations?: readonly { readonly field: string; readonly message: string }[];
  };
  const problems = new Map<string, readonly string[]>();
  const others: string[] = [];
  for (const { field, message } of violations ?? []) {
    if (base.definitions.some(({ key }) => key === field)) problems.set(field, [...(problems.get(field) ?? []), message]);
    else others.push(`${field} ${message}.`);
  }
  return { problems, others };
}

function focusFirst(problems: ReadonlyMap<string, unknown>): void {
  const section = [...document.querySelectorAll<HTMLElement>("form section[aria-label]")].find((each) =>
    problems.has(each.getAttribute("aria-label") ?? ""),
  );
  section?.querySelector<HTMLElement>("input, textarea")?.focus();
}
