/** Takes the text of a source in parts, and adds the entries that are whole. */
export interface SourceReader {
  write(text: string): void;
  /** Ends the source. `isCut`: its rest is missing, and what the last part began is no entry. */
  end(isCut: boolean): void;
  /** Why the source can't be read; undefined while it can. */
  fault(): string | undefined;
  /** The document ends before what it began. */
  isUnfinished(): boolean;
}
