import { Button, Checkbox, Group, Input, PasswordInput, Select, Stack, Textarea, TextInput } from "@mantine/core";
import { type KeyboardEvent, Suspense } from "react";
import { i18n } from "../../i18n.ts";
import { lazyPart } from "../../parts/lazy-part.tsx";
import { Loading } from "../../parts/states.tsx";
import { controlOf, type Definition } from "./definition.ts";
import type { Draft } from "./draft.ts";
import type { InputProps } from "./input-props.ts";

/** Few forms have these. */
const ChoiceInput = lazyPart(() => import("./choice-input.tsx"));
const ValueSlider = lazyPart(() => import("./value-slider.tsx"));

type TextDraft = Extract<Draft, { kind: "text" }>;
type FlagDraft = Extract<Draft, { kind: "flag" }>;

/** The input of a setting with one value. */
export function FieldInput({ draft, ...rest }: InputProps<TextDraft | FlagDraft>) {
  return (
    <Suspense fallback={<Loading />}>
      {draft.kind === "flag" ? <FlagInput {...rest} draft={draft} /> : <TextValueInput {...rest} draft={draft} />}
    </Suspense>
  );
}

function FlagInput({ definition, draft, isReadOnly, error, onChange }: InputProps<FlagDraft>) {
  const { key } = definition;
  if (controlOf(definition) === "radio") {
    const choose = (value: string): void => onChange({ kind: "flag", flag: value === "true" });
    return (
      <ChoiceInput
        name={key}
        choices={["true", "false"]}
        value={draft.flag === null ? null : String(draft.flag)}
        isReadOnly={isReadOnly}
        error={error}
        choose={choose}
      />
    );
  }
  return (
    <Checkbox
      label={draft.flag === null ? i18n.t("not set") : draft.flag ? i18n.t("on") : i18n.t("off")}
      aria-label={key}
      checked={draft.flag ?? false}
      indeterminate={draft.flag === null}
      disabled={isReadOnly}
      error={error}
      onChange={(event) => onChange({ kind: "flag", flag: event.currentTarget.checked })}
    />
  );
}

function TextValueInput({ definition, draft: { text }, isReadOnly, error, onChange, onCheck }: InputProps<TextDraft>) {
  const { key, placeholder, choices } = definition;
  const change = (value: string): void => onChange({ kind: "text", text: value });
  const attributes = {
    "aria-label": key,
    value: text,
    disabled: isReadOnly,
    error,
    onBlur: onCheck,
    onChange: (event: { readonly currentTarget: { readonly value: string } }) => change(event.currentTarget.value),
    ...(placeholder === undefined ? {} : { placeholder }),
  };
  switch (controlOf(definition)) {
    case "radio":
      return (
        <ChoiceInput
          name={key}
          choices={withValue(choices, text)}
          value={text || null}
          choose={change}
          isReadOnly={isReadOnly}
          error={error}
        />
      );
    case "select":
      return (
        <Select
          aria-label={key}
          data={withValue(choices, text)}
          value={text || null}
          placeholder={placeholder ?? i18n.t("Not set")}
          clearable={!definition.required}
          clearButtonProps={{ "aria-label": i18n.t("No value for {key}", { key }) }}
          searchable={choices.length > 10}
          disabled={isReadOnly}
          error={error}
          onChange={(value) => (value === null ? onChange("remove") : change(value))}
        />
      );
    case "json":
      return <JsonInput attributes={attributes} onFormat={change} />;
    case "textarea":
      return <Textarea {...attributes} autosize minRows={3} maxRows={20} />;
    case "password":
      return (
        <PasswordInput
          {...attributes}
          visibilityToggleButtonProps={{ "aria-label": i18n.t("Show {key}", { key }) }}
          autoComplete="off"
        />
      );
    case "date":
      return (
        <TextInput
          {...attributes}
          type="date"
          maw={220}
          onChange={(event) => (event.currentTarget.value === "" ? onChange("remove") : change(event.currentTarget.value))}
        />
      );
    case "slider":
      return <SliderInput definition={definition} attributes={attributes} onChange={change} />;
    case "number":
      return <NumberText definition={definition} attributes={attributes} onChange={change} />;
    default:
      return <TextInput {...attributes} />;
  }
}

/** Includes a value that is stored although it is not among the choices. */
function withValue(choices: readonly string[], value: string): string[] {
  return value === "" || choices.includes(value) ? [...choices] : [value, ...choices];
}

interface Attributes {
  readonly "aria-label": string;
  readonly value: string;
  readonly disabled: boolean;
  readonly error: string | undefined;
  readonly placeholder?: string;
  readonly onBlur: () => void;
  readonly onChange: (event: { readonly currentTarget: { readonly value: string } }) => void;
}

function JsonInput({ attributes, onFormat }: { readonly attributes: Attributes; readonly onFormat: (text: string) => void }) {
  const format = (): void => {
    try {
      onFormat(JSON.stringify(JSON.parse(attributes.value), undefined, 2));
    } catch {
      // It is not JSON: the check says where.
      attributes.onBlur();
    }
  };
  return (
    <Stack gap="xs" align="flex-start">
      <Textarea {...attributes} w="100%" autosize minRows={3} maxRows={20} spellCheck={false} classNames={{ input: "mono" }} />
      <Button size="compact-xs" variant="default" onClick={format} disabled={attributes.disabled || attributes.value === ""}>
        {i18n.t("Format")}
      </Button>
    </Stack>
  );
}

interface NumberProps {
  readonly definition: Definition;
  readonly attributes: Attributes;
  readonly onChange: (text: string) => void;
}

/** A text, so that also what is not a number yet stays as it was typed. The arrow keys change it by a step. */
function NumberText({ definition: { type, step = 1, min, max }, attributes, onChange }: NumberProps) {
  const move = (event: KeyboardEvent): void => {
    const direction = event.key === "ArrowUp" ? 1 : event.key === "ArrowDown" ? -1 : 0;
    const current = Number(attributes.value || (min ?? 0));
    if (direction === 0 || Number.isNaN(current)) return;
    event.preventDefault();
    const moved = Number((current + direction * step).toPrecision(12));
    onChange(String(Math.min(max ?? moved, Math.max(min ?? moved, moved))));
  };
  return <TextInput {...attributes} inputMode={type === "INT" ? "numeric" : "decimal"} maw={220} onKeyDown={move} />;
}

function SliderInput({ definition, attributes, onChange }: NumberProps) {
  const { key, min = 0, max = 100, step = 1 } = definition;
  const value = Number(attributes.value);
  return (
    <Group align="center" gap="lg">
      <NumberText definition={definition} attributes={attributes} onChange={onChange} />
      <Input.Wrapper flex={1} miw={160} px="xs">
        <ValueSlider
          name={key}
          min={min}
          max={max}
          step={step}
          value={attributes.value === "" || Number.isNaN(value) ? min : Math.min(max, Math.max(min, value))}
          isReadOnly={attributes.disabled}
          onChange={(moved) => onChange(String(Number(moved.toPrecision(12))))}
          onChangeEnd={attributes.onBlur}
        />
      </Input.Wrapper>
    </Group>
  );
}
