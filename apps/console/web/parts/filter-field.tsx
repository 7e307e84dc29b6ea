import { Autocomplete, Combobox, Group, Text } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { type FocusEvent, type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { i18n } from "../i18n.ts";
import { type Choice, meant, optionsFor, shownOf, withoutDoubles } from "./filter-choices.ts";
import { useAppChoices, useSubjectChoices } from "./use-choices.ts";
import { Initials, others } from "./who.tsx";

const typingMs = 250;
const maxShown = 100;

interface FilterFieldProps {
  readonly label: string;
  readonly placeholder: string;
  readonly value: string | undefined;
  readonly choices: readonly Choice[];
  /** Whether a typed text that no choice has counts before the field is left. By default each does. */
  readonly isWhole?: (text: string) => boolean;
  readonly onChange: (value: string | undefined) => void;
  /** Receives what is searched for among the choices, from when the field is entered. */
  readonly onSearch?: (text: string) => void;
}

const always = (): boolean => true;

/**
 * A value of a filter: one of the choices, which are shown by name and found by name or value, or another text. Calls `onChange` shortly
 * after the last key, and shows a value that was changed elsewhere, as by a link.
 */
export function FilterField({
  label,
  placeholder,
  value = "",
  choices,
  isWhole = always,
  onChange,
  onSearch,
}: FilterFieldProps) {
  /** What is in the field while a person types. */
  const [typed, setTyped] = useState<string>();
  /** What was sent, until it is the value. */
  const [sent, setSent] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the value has arrived, or is another one
  useEffect(() => {
    if (value !== sent) setTyped(undefined);
    setSent(undefined);
  }, [value]);
  const current = sent ?? value;
  /** Whether the next text is the name of an option that was chosen. */
  const isSubmitted = useRef(false);
  const chosen = choices.find((choice) => choice.value === current);
  const send = (next: string): void => {
    if (next === current) return;
    setSent(next);
    onChange(next || undefined);
  };
  const sendSoon = useDebouncedCallback((text: string) => {
    const next = meant(text, choices);
    if (next === "" || isWhole(next) || choices.some((choice) => choice.value === next)) send(next);
  }, typingMs);
  const type = (text: string | undefined): void => {
    setTyped(text);
    onSearch?.(text ?? "");
  };
  const isEmpty = (typed ?? current) === "";
  const leave = (): void => {
    if (typed === undefined) return;
    sendSoon.cancel();
    send(meant(typed.trim(), choices));
    type(undefined);
  };
  return (
    <Autocomplete
      label={label}
      placeholder={placeholder}
      className="filter"
      data={optionsFor(typed ?? "", choices)}
      limit={maxShown}
      filter={({ options }) => options}
      renderOption={({ option }) => <Option choice={choices.find((choice) => choice.value === option.value)} />}
      leftSection={typed === undefined && chosen && pictureOf(chosen)}
      title={current}
      rightSection={isEmpty && <Combobox.Chevron />}
      rightSectionPointerEvents={isEmpty ? "none" : "all"}
      clearable
      value={typed ?? shownOf(current, choices)}
      onOptionSubmit={(option) => {
        isSubmitted.current = true;
        sendSoon.cancel();
        send(String(option));
      }}
      onChange={(text) => {
        const isOption = isSubmitted.current;
        isSubmitted.current = false;
        type(isOption ? undefined : text);
        if (!isOption) sendSoon(text.trim());
      }}
      onClear={() => send("")}
      onBlur={leave}
      onKeyDown={(event: KeyboardEvent) => {
        const hasOption = event.currentTarget.hasAttribute("aria-activedescendant");
        if (event.key === "Enter" && !hasOption) leave();
      }}
      onFocus={({ currentTarget }: FocusEvent<HTMLInputElement>) => {
        currentTarget.select();
        onSearch?.(typed ?? "");
      }}
    />
  );
}

function Option({ choice }: { readonly choice: Choice | undefined }) {
  if (!choice) return null;
  const { value, label } = choice;
  return (
    <Group gap="xs" wrap="nowrap">
      {pictureOf(choice)}
      <div className="wrap">
        <Text size="sm">{label}</Text>
        {label !== value && (
          <Text size="xs" c="dimmed">
            {value}
          </Text>
        )}
      </div>
    </Group>
  );
}

function pictureOf({ value, label }: Choice): ReactNode {
  return /^(?:user|machine):/.test(value) ? <Initials id={value} name={label} /> : undefined;
}

interface ValueProps {
  readonly label?: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** The filter of an app: by its title or its name. */
export function AppFilter({ label = i18n.t("App"), value, onChange }: ValueProps) {
  const [text, setText] = useState<string>();
  return (
    <FilterField
      label={label}
      placeholder={i18n.t("All apps")}
      value={value}
      choices={useAppChoices(text, value)}
      isWhole={(typed) => typed.includes(".")}
      onChange={onChange}
      onSearch={setText}
    />
  );
}

const withoutAccount: readonly Choice[] = Object.entries(others).map(([value, label]) => ({ value, label }));

interface SubjectProps extends Required<ValueProps> {
  readonly placeholder: string;
  /** The ids in the list that is filtered. */
  readonly seen: readonly string[];
  /** What has no account can do something, and is not the target of anything. */
  readonly isTarget?: boolean;
}

/** The filter of a person, an app, or what else does something: by name or id. */
export function SubjectFilter({ seen, isTarget = false, ...props }: SubjectProps) {
  const [text, setText] = useState<string>();
  const found = useSubjectChoices(text, props.value, seen);
  const choices = isTarget ? found : withoutDoubles([...found, ...withoutAccount]);
  return <FilterField {...props} choices={choices} isWhole={(typed) => typed.includes(":")} onSearch={setText} />;
}
