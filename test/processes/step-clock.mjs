/** Preloaded with `--import`: a process whose clock is wrong by CLOCK_STEP_MS milliseconds. */
const step = Number(process.env.CLOCK_STEP_MS ?? 0);
const RealDate = globalThis.Date;
const realNow = RealDate.now.bind(RealDate);
globalThis.Date = class extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(realNow() + step);
    else super(...parts);
  }

  static now() {
    return realNow() + step;
  }
};
