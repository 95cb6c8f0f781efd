import { InvalidArgumentError } from 'commander';

/** Builds an option parser for whole numbers from `least` to `most`. It throws InvalidArgumentError. */
export function wholeNumber(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text);
    if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most) {
      throw new InvalidArgumentError(`must be a whole number from ${least} to ${most}.`);
    }
    return value;
  };
}
