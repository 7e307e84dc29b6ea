import { Button, Group, Paper, Stack, Text } from "@mantine/core";
import { Suspense, useMemo } from "react";
import { i18n } from "../../i18n.ts";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { Loading } from "../../parts/states.tsx";
import { Status } from "../../parts/status.tsx";
import { controlOf, type Definition } from "./definition.ts";
import { type Draft, draftOf } from "./draft.ts";
import { FieldInput } from "./field-input.tsx";
import { SecretInput } from "./secret-input.tsx";
import type { Edit } from "./use-settings-form.ts";

/** Most forms have no list. */
const lists = () => import("./list-input.tsx") as Promise<typeof import("./list-input.tsx") | undefined>;
const ListInput = lazyPart(async () => wrapped((await lists())?.ListInput));
const PairsInput = lazyPart(async () => wrapped((await lists())?.PairsInput));

function wrapped<Part>(part: Part | undefined): { readonly default: Part } | undefined {
  return part && { default: part };
}

/** Where the value of a setting is from. */
export type Source = "stored" | "default" | "unset";

interface FieldProps {
  readonly definition: Definition;
  readonly stored: unknown;
  readonly source: Source;
  readonly edit: Edit | undefined;
  readonly problems: readonly string[];
  readonly isReadOnly: boolean;
  readonly onEdit: (edit: Edit) => void;
  readonly onRevert: () => void;
  readonly onCheck: () => void;
}

/** One setting: its input, where its value is from, and how to return to the default. */
export function SettingField(props: FieldProps) {
  const { definition, stored, source, edit, problems, isReadOnly, onEdit, onRevert, onCheck } = props;
  const { key, isSecret, required } = definition;
  const shown = edit === "remove" ? definition.default : stored;
  // The elements of a list keep their identity while it is not edited.
  const unedited = useMemo(() => draftOf(definition, shown), [definition, shown]);
  const draft = edit === undefined || edit === "remove" ? unedited : edit;
  const error = problems.length > 0 ? problems.join("; ") : undefined;
  const shared = { definition, isReadOnly, error, onCheck, onChange: onEdit };
  const canRemove = !isReadOnly && source === "stored" && edit === undefined && !(required && definition.default === undefined);
  return (
    <Paper withBorder p="md" component="section" aria-label={key} data-edited={edit !== undefined}>
      <Group justify="space-between" align="flex-start" gap="xs" mb={4}>
        <Group gap="xs">
          <Text fw={600} className="wrap">
            {key}
          </Text>
          <SourceBadge source={source} edit={edit} />
          {required && <Status>{i18n.t("required")}</Status>}
        </Group>
        {canRemove && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => onEdit("remove")}
            aria-label={i18n.t("{removal} of {key}", { removal: removal(definition), key })}
          >
            {removal(definition)}
          </Button>
        )}
        {edit !== undefined && (
          <Button
            size="compact-xs"
            variant="default"
            onClick={onRevert}
            aria-label={i18n.t("Undo the change of {key}", { key })}
          >
            {i18n.t("Undo")}
          </Button>
        )}
      </Group>
      <Stack gap={4}>
        {definition.description && (
          <Text size="sm" c="dimmed">
            {definition.description}
          </Text>
        )}
        {isSecret ? (
          <SecretInput {...shared} draft={draft as TextDraft} isSet={source === "stored"} isRemoved={edit === "remove"} />
        ) : draft.kind === "items" ? (
          <Suspense fallback={<Loading />}>
            {controlOf(definition) === "pairs" ? (
              <PairsInput {...shared} draft={draft} />
            ) : (
              <ListInput {...shared} draft={draft} />
            )}
          </Suspense>
        ) : (
          <FieldInput {...shared} draft={draft} />
        )}
        <Rules definition={definition} />
      </Stack>
    </Paper>
  );
}

type TextDraft = Extract<Draft, { kind: "text" }>;

function removal({ isSecret, default: value }: Definition): string {
  if (isSecret) return i18n.t("Remove the secret");
  return value === undefined ? i18n.t("Remove the value") : i18n.t("Use the default");
}

const sources: Readonly<Record<Source, string>> = {
  stored: i18n.t("Stored"),
  default: i18n.t("Default"),
  unset: i18n.t("Not set"),
};

function SourceBadge({ source, edit }: { readonly source: Source; readonly edit: Edit | undefined }) {
  if (edit !== undefined) {
    return <Status tone="warning">{edit === "remove" ? i18n.t("removed, not saved") : i18n.t("changed, not saved")}</Status>;
  }
  return <Status tone={source === "stored" ? "good" : "neutral"}>{sources[source]}</Status>;
}

/** Says which values are allowed, as far as the input does not show it. */
function Rules({ definition }: { readonly definition: Definition }) {
  const { min, max, minLength, maxLength, pattern, help, default: value, isSecret } = definition;
  const texts = [
    help,
    rangeOf(min, max),
    lengthOf(minLength, maxLength),
    pattern && controlOf(definition) !== "date" && i18n.t("matches {pattern}", { pattern }),
    value !== undefined && !isSecret && i18n.t("default {value}", { value: JSON.stringify(value) }),
  ].filter(Boolean);
  if (texts.length === 0) return null;
  return (
    <Text size="xs" c="dimmed" className="wrap">
      {texts.join(" · ")}
    </Text>
  );
}

function rangeOf(min: number | undefined, max: number | undefined): string | undefined {
  if (min !== undefined && max !== undefined) return i18n.t("{min} to {max}", { min, max });
  if (min !== undefined) return i18n.t("at least {min}", { min });
  return max === undefined ? undefined : i18n.t("at most {max}", { max });
}

function lengthOf(min: number | undefined, max: number | undefined): string | undefined {
  if (min !== undefined && max !== undefined) return i18n.t("{min} to {max} characters", { min, max });
  if (min !== undefined) return i18n.t("{min, plural, one {at least # character} other {at least # characters}}", { min });
  return max === undefined
    ? undefined
    : i18n.t("{max, plural, one {at most # character} other {at most # characters}}", { max });
}
