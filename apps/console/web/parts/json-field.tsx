import { JsonInput } from "@mantine/core";

/** Returns the value of a JSON text, or undefined for an empty one. Throws SyntaxError. */
export function parseJson(text: string): unknown {
  return text.trim() === "" ? undefined : JSON.parse(text);
}

/** Returns why the text is not JSON, or undefined. */
export function jsonProblem(text: string): string | undefined {
  try {
    parseJson(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface JsonFieldProps {
  readonly label: string;
  readonly description: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** An editor of a JSON value. An empty text is no value. */
export function JsonField({ label, description, value, onChange }: JsonFieldProps) {
  return (
    <JsonInput
      label={label}
      description={description}
      value={value}
      onChange={onChange}
      error={jsonProblem(value)}
      formatOnBlur
      autosize
      minRows={4}
      maxRows={16}
      spellCheck={false}
      classNames={{ input: "code" }}
    />
  );
}
