import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import type { Dispatch } from "react";
import { Time } from "../../parts/time.tsx";
import type { FormAction, FormState } from "./use-settings-form.ts";

const maxShown = 200;

/** Explains what others changed while the form had edits, and asks about the settings that were changed on both sides. */
export function MergeNotice({ state, dispatch }: { readonly state: FormState; readonly dispatch: Dispatch<FormAction> }) {
  const { base, changedByOthers, overlaps } = state;
  if (changedByOthers.length === 0) return null;
  const merged = changedByOthers.filter((key) => !overlaps.includes(key));
  return (
    <Alert color="yellow" variant="outline" role="alert" title="The settings were changed while you edited them">
      <Stack gap="sm">
        <Text size="sm">
          {base.updatedBy ?? "The platform"} stored version {base.version}
          {base.updatedAt && (
            <>
              {" "}
              <Time at={base.updatedAt} />
            </>
          )}
          . Your changes are kept, and are not saved yet.
        </Text>
        {merged.length > 0 && (
          <Text size="sm" className="wrap">
            Shown as they are stored now: {merged.join(", ")}.
          </Text>
        )}
        {overlaps.map((key) => (
          <Group key={key} justify="space-between" role="group" aria-label={`Conflict of ${key}`}>
            <Text size="sm" className="wrap">
              <b>{key}</b> was changed by both. Stored now: <Code>{storedText(state, key)}</Code>
            </Text>
            <Group gap="xs">
              <Button size="xs" variant="default" onClick={() => dispatch({ kind: "keep", key })}>
                Keep mine
              </Button>
              <Button size="xs" variant="default" onClick={() => dispatch({ kind: "revert", key })}>
                Use the stored value
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
