/** The look of a number field for a limit of credits; empty is no limit. */
export const CREDIT_LIMIT = {
  placeholder: 'no limit',
  suffix: ' credits',
  min: 1,
  allowDecimal: false,
  hideControls: true,
} as const;
