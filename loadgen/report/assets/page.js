// Draws the charts of the page anew so that they can be zoomed and read point by point. What it draws
// stands in the page as JSON, and as a picture and a table for whoever does not run this.
(function () {
  "use strict";
  var HEIGHT = 380;
  var scales = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

  function digits(value) {
    var size = Math.abs(value);
    if (value === Math.round(value)) return String(value);
    return value.toFixed(size >= 99.95 ? 0 : size >= 9.995 ? 1 : 2);
  }
  function time(ns) {
    for (var i = 0; i < scales.length; i++) {
      if (ns >= scales[i][0]) return digits(ns / scales[i][0]) + " " + scales[i][1];
    }
    return digits(ns) + " ns";
  }
  function quantile(place) {
    var above = 100 * Math.pow(10, -place);
    var nines = Math.min(12, Math.max(0, Math.floor(place + 1e-9)) + 1);
    var text = (100 - above).toFixed(nines);
    return text.replace(/\.?0+$/, "") + " %";
  }
  function css(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  }
  // Two colours are too dark for a dark page.
  function colour(name) {
    if (name === "#000000") return css("--ink");
    return name === "#0072B2" ? css("--blue") : name;
  }
  // 1, 2 and 5 of each power of ten; 1 alone when there are more than three of those.
  function steps(low, high) {
    var list = [];
    var each = Math.log10(high / low) > 3 ? [1] : [1, 2, 5];
    for (var power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
      each.forEach(function (n) {
        var value = n * Math.pow(10, power);
        if (value >= low && value <= high) list.push(value);
      });
    }
    return list.length > 1 ? list : [low, high];
  }

  // Dashed upright lines with a text, for events.
  function marks(list) {
    return function (plot) {
      var ctx = plot.ctx, ratio = window.devicePixelRatio || 1;
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = css("--quiet");
      ctx.lineWidth = ratio;
      ctx.setLineDash([3 * ratio, 4 * ratio]);
      ctx.font = 12 * ratio + "px sans-serif";
      list.forEach(function (mark, index) {
        var x = plot.valToPos(mark.at, "x", true);
        if (x < plot.bbox.left || x > plot.bbox.left + plot.bbox.width) return;
        ctx.beginPath();
        ctx.moveTo(x, plot.bbox.top);
        ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
        ctx.stroke();
        var right = x > plot.bbox.left + plot.bbox.width * 0.8;
        ctx.textAlign = right ? "right" : "left";
        ctx.fillText(mark.text, x + (right ? -4 : 4) * ratio, plot.bbox.top + (12 + (index % 6) * 14) * ratio);
      });
      ctx.restore();
    };
  }

  function options(data, width) {
    var unit = data.unit === "time" ? time : digits;
    var across = data.across === "quantile" ? quantile : digits;
    var axis = { stroke: css("--ink"), grid: { stroke: css("--rule"), width: 1 }, ticks: { stroke: css("--rule"), width: 1 } };
    var log = data.log;
    var series = [{ label: data.x_label, value: function (u, v) { return v === null || v === undefined ? "" : across(v); } }];
    data.lines.forEach(function (line) {
      series.push({
        label: line.label,
        stroke: colour(line.colour),
        width: 2,
        dash: line.dashed ? [6, 4] : undefined,
        points: { show: line.marked, size: 7 },
        value: function (u, v) { return v === null || v === undefined ? "n/a" : unit(v); }
      });
    });
    return {
      width: width,
      height: HEIGHT,
      series: series,
      legend: { live: true },
      cursor: { drag: { x: true, y: false } },
      scales: {
        x: { time: false, range: function (u, low, high) { return low === high ? [low - 0.25, high + 0.25] : [low, high]; } },
        y: log
          ? { distr: 3, range: function (u, low, high) { return low > 0 ? [low / 1.25, high * 1.25] : [1, 10]; } }
          : { range: function (u, low, high) { return [Math.min(0, low), high > 0 ? high * 1.05 : 1]; } }
      },
      axes: [
        Object.assign({
          values: function (u, list) { return list.map(function (v) { return v === null ? "" : across(v); }); },
          splits: data.across === "quantile"
            ? function (u, i, low, high) {
                return [0, 0.30103, 0.60206, 1, 2, 3, 4, 5, 6].filter(function (v) { return v >= low && v <= high; });
              }
            : undefined,
          incrs: data.across === "round" || data.across === "second"
            ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000]
            : undefined,
          label: data.x_label, labelSize: 24, labelFont: "13px sans-serif"
        }, axis),
        Object.assign({
          size: 76,
          splits: log ? function (u, i, low, high) { return steps(low, high); } : undefined,
          filter: function (u, list) { return list; },
          values: function (u, list) { return list.map(function (v) { return v === null ? "" : unit(v); }); }
        }, axis)
      ],
      hooks: { draw: [marks(data.marks)] }
    };
  }

  function columns(data) {
    // Where a line has no point, "-" says that it goes on and null that it breaks.
    var lines = data.lines.map(function (line) {
      return line.y.map(function (v) { return v === "-" ? undefined : v; });
    });
    return [data.x].concat(lines);
  }

  function draw(figure) {
    var source = figure.querySelector("script[type='application/json']");
    var live = figure.querySelector(".live");
    var data = JSON.parse(source.textContent);
    figure.classList.add("drawn");
    var plot = null;
    function again() {
      var width = Math.max(280, Math.floor(live.clientWidth));
      if (plot) plot.destroy();
      plot = new uPlot(options(data, width), columns(data), live);
    }
    again();
    new ResizeObserver(function () {
      var width = Math.floor(live.clientWidth);
      if (width > 0 && Math.abs(width - plot.width) > 1) plot.setSize({ width: Math.max(280, width), height: HEIGHT });
    }).observe(live);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
    figure.querySelector(".whole").addEventListener("click", again);
    var printed = figure.querySelector(".printed");
    printed.addEventListener("click", function () {
      var on = figure.classList.toggle("asprinted");
      printed.setAttribute("aria-pressed", String(on));
      if (!on) again();
    });
  }

  document.querySelectorAll("figure.chart").forEach(draw);
})();
