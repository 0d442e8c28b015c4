"use strict";
const field = document.getElementById("find");
const found = document.getElementById("found");
const circles = [...document.querySelectorAll("circle")].filter((one) => one.querySelector("title"));
const labels = [...document.querySelectorAll("text.label")];
const rows = [...document.querySelectorAll("tbody tr")];
const words = (one) => one.textContent.toLowerCase();
field.addEventListener("input", () => {
  const wanted = field.value.trim().toLowerCase();
  const fits = (one) => !wanted || words(one).includes(wanted);
  for (const one of [...circles, ...labels]) one.classList.toggle("faint", !fits(one));
  for (const one of document.querySelectorAll("line.edge")) one.classList.toggle("faint", Boolean(wanted));
  for (const one of rows) one.hidden = !fits(one);
  found.textContent = wanted ? `${circles.filter(fits).length} found` : "";
});
