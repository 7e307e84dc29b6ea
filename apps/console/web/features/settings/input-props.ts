import type { Definition } from "./definition.ts";
import type { Draft } from "./draft.ts";
import type { Edit } from "./use-settings-form.ts";

/** What the inputs of all types share. */
export interface InputProps<D extends Draft = Draft> {
  readonly definition: Definition;
  readonly draft: D;
  readonly isReadOnly: boolean;
  readonly error: string | undefined;
  readonly onChange: (edit: Edit) => void;
  readonly onCheck: () => void;
}
