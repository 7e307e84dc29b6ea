import { Trans } from "@lingui/react";
import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import type { Dispatch } from "react";
import { i18n } from "../../i18n.ts";
import { Time } from "../../parts/time.tsx";
import { Who } from "../../parts/who.tsx";
import type { FormAction, FormState } from "./use-settings-form.ts";

const maxShown = 200;

/** Explains what others changed while the form had edits, and asks about the settings that were changed on both sides. */
export function MergeNotice({ state, dispatch }: { readonly state: FormState; readonly dispatch: Dispatch<FormAction> }) {
  const { base, changedByOthers, overlaps } = state;
  if (changedByOthers.length === 0) return null;
  const merged = changedByOthers.filter((key) => !overlaps.includes(key));
  return (
    <Alert color="yellow" variant="outline" role="alert" title={i18n.t("The settings were changed while you edited them")}>
      <Stack gap="sm">
        <Text size="sm">
          <Trans
            id="<0/> stored version {version} <1/>. Your changes are kept, and are not saved yet."
            values={{ version: base.version }}
            components={{
              0: <Who id={base.updatedBy ?? "system"} />,
              1: <>{base.updatedAt && <Time at={base.updatedAt} />}</>,
            }}
          />
        </Text>
        {merged.length > 0 && (
          <Text size="sm" className="wrap">
            {i18n.t("Shown as they are stored now: {keys}.", { keys: merged.join(", ") })}
          </Text>
        )}
        {overlaps.map((key) => (
          <Group key={key} justify="space-between" role="group" aria-label={i18n.t("Conflict of {key}", { key })}>
            <Text size="sm" className="wrap">
              <Trans
                id="<0/> was changed by both. Stored now: <1/>"
                components={{ 0: <b>{key}</b>, 1: <Code>{storedText(state, key)}</Code> }}
              />
            </Text>
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => dispatch({ kind: "keep", key })}>
                {i18n.t("Keep mine")}
              </Button>
              <Button size="xs" variant="default" onClick={() => dispatch({ kind: "revert", key })}>
                {i18n.t("Use the stored value")}
              </Button>
            </Group>
          </Group>
        ))}
      </Stack>
    </Alert>
  );
}

function storedText({ base }: FormState, key: string): string {
  if (base.secretsSet.includes(key)) return "a secret";
  const value = base.values[key];
  if (value === undefined) return "nothing";
  const text = JSON.stringify(value);
  return text.length > maxShown ? `${text.slice(0, maxShown)} …` : text;
}
