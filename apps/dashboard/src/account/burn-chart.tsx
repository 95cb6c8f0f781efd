import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { formatNumber } from '../format/number.ts';
import styles from './account.module.css';
import type { Day } from './burn.ts';

/** As in the style sheet. */
const HEIGHT = 150;
/** Seconds. */
const HALF_DAY = 43_200;
const day = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric' });

function dayOf(seconds: number): string {
  return day.format(new Date(seconds * 1000));
}

/** Credits used a day, as bars. */
export default function BurnChart({ days }: { days: readonly Day[] }) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const style = getComputedStyle(document.documentElement);
    const [ink, line, accent] =
      scheme === 'dark' ? ['#a8a297', '#302f2c', '#e0af4b'] : ['#625d54', '#e4e2dd', '#b27f1f'];
    const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
    const axis = {
      stroke: ink,
      grid: { stroke: line, width: 1 },
      ticks: { show: false },
      font: `12px ${style.fontFamily}`,
    };
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        legend: { show: false },
        cursor: { show: false },
        scales: {
          // Half a day at both ends, so that the first and the last bar are whole.
          x: { range: (_self, min, max) => [min - HALF_DAY, max + HALF_DAY] },
          y: { range: (_self, _min, max) => [0, Math.max(1, max * 1.1)] },
        },
        axes: [
          { ...axis, grid: { show: false }, values: (_self, ticks) => ticks.map(dayOf) },
          { ...axis, size: 64, values: (_self, ticks) => ticks.map(formatNumber) },
        ],
        series: [
          {},
          {
            fill: accent ?? '',
            stroke: accent ?? '',
            width: 0,
            points: { show: false },
            ...(bars ? { paths: bars } : {}),
          },
        ],
      },
      [days.map(({ at }) => at), days.map(({ used }) => used)],
      element,
    );
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [days, scheme]);
  return (
    <div
      ref={place}
      role="img"
      aria-label={`Credits used a day: ${days.map(({ used }) => formatNumber(used)).join(', ')}`}
      className={styles.chart}
    />
  );
}
