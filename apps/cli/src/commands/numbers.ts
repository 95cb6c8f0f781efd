import { InvalidArgumentError } from 'commander';

/** Reads a whole number of an option, refusing everything else by name. */
export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most) {
      throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}
