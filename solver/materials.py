"""Materials and the rule that makes a pair's coefficients from two materials."""

from collections.abc import Callable
from dataclasses import fields, replace
from math import sqrt

import numpy as np

from .base.records import record
from .base.refusal import LARGEST, SceneError, finite
from .laws.friction_laws import FRICTION_LAWS, LAW_OF_KEY, law_of_pair

COMBINE_RULES: dict[str, Callable[[float, float], float]] = {
    "geometric": lambda a, b: sqrt(a * b),
    "product": lambda a, b: a * b,
    "minimum": min,
    "maximum": max,
    "average": lambda a, b: 0.5 * (a + b),
}


@record
class Material:
    """What a body is made of.

    density [kg/m^3]; friction along the s and t axes [1] (friction_t None: the same);
    torsional_friction about the normal [m]; restitution [1] of the normal velocity, tangential_restitution [1] of
    the sliding velocity in an impact that bounces (1: a superball); law: a key of FRICTION_LAWS.
    """

    name: str
    density: float = 1000.0
    friction: float = 0.5
    friction_t: float | None = None
    torsional_friction: float = 0.0
    restitution: float = 0.0
    tangential_restitution: float = 0.0
    law: str = "ellipsoid"

    @property
    def mu(self):
        """Coefficients (mu_s [1], mu_t [1], mu_tau [m])."""
        return (self.friction, self.friction if self.friction_t is None else self.friction_t, self.torsional_friction)

    def check(self):
        """Raise SceneError for a value no material can have."""
        who = f"material {self.name!r}"
        if not finite(self.density) or self.density <= 0:
            raise SceneError(f"{who}: density is {self.density} kg/m^3; set a value above 0")
        if not 1 / LARGEST <= self.density <= LARGEST:
            low = 1 / LARGEST
            raise SceneError(f"{who}: density is {self.density} kg/m^3; set a value from {low:g} to {LARGEST:g}")
        for label, value in zip(("friction", "friction_t", "torsional_friction"), self.mu, strict=True):
            if not finite(value) or value < 0:
                raise SceneError(f"{who}: {label} is {value}; set a value of at least 0")
            if value > LARGEST:
                raise SceneError(f"{who}: {label} is {value}; set a value up to {LARGEST:g}")
        for label in ("restitution", "tangential_restitution"):
            value = getattr(self, label)
            if not finite(value) or not 0 <= value <= 1:
                raise SceneError(f"{who}: {label} is {value}; set a value from 0 to 1")
        if self.law not in LAW_OF_KEY:
            keys = ", ".join(info.key for info in FRICTION_LAWS.values())
            raise SceneError(f"{who}: friction law is {self.law!r}; choose one of {keys}")


@record
class MaterialPair:
    """Coefficients of one pair of materials, in place of what the combine rule gives; None: leave to the rule."""

    materials: tuple[str, str]
    friction: float | None = None
    friction_t: float | None = None
    torsional_friction: float | None = None
    restitution: float | None = None
    tangential_restitution: float | None = None
    law: str | None = None

    def given(self):
        """The coefficients this pair sets, by name."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name != "materials"}
        return {key: value for key, value in values.items() if value is not None}


@record
class MaterialTable:
    """All materials of a scene and the rule for pairs.

    `combine`: key of COMBINE_RULES, applied to friction, torsional friction and both restitutions alike. The
    default, the geometric mean, gives two equal materials their own coefficient; "product" is Bullet's.
    """

    materials: tuple[Material, ...] = (Material("default"),)
    pairs: tuple[MaterialPair, ...] = ()
    combine: str = "geometric"

    def check(self):
        """Raise SceneError for the first material or pair that cannot be used."""
        names = [material.name for material in self.materials]
        for name in names:
            if names.count(name) > 1:
                raise SceneError(f"material {name!r}: named {names.count(name)} times; give each material its own name")
        for material in self.materials:
            material.check()
        seen = set()
        for pair in self.pairs:
            if frozenset(pair.materials) in seen:
                raise SceneError(f"material pair {pair.materials}: given twice; remove one of them")
            seen.add(frozenset(pair.materials))
            for name in pair.materials:
                if name not in names:
                    raise SceneError(
                        f"material pair {pair.materials}: no material {name!r}; add it or correct the name"
                    )
            first = self.materials[names.index(pair.materials[0])]
            replace(first, name=" / ".join(pair.materials), **pair.given()).check()
        if self.combine not in COMBINE_RULES:
            raise SceneError(f"combine rule is {self.combine!r}; choose one of {', '.join(COMBINE_RULES)}")

    def index(self, name):
        """Position of the material called `name`."""
        for i, material in enumerate(self.materials):
            if material.name == name:
                return i
        raise KeyError(name)

    def directed(self):
        """Materials (M,) whose bodies carry the axes of friction: those with a friction_t of their own, and the first
        of a pair that sets one."""
        directed = [m.friction_t is not None and m.friction_t != m.friction for m in self.materials]
        for pair in self.pairs:
            if pair.friction_t is not None and not any(directed[self.index(name)] for name in pair.materials):
                directed[self.index(pair.materials[0])] = True
        return np.array(directed)

    def tables(self):
        """Return mu (M,M,3), restitution (M,M,2), normal and tangential, and law (M,M) of all pairs, symmetric."""
        count = len(self.materials)
        rule = COMBINE_RULES[self.combine]
        mu, restitution = np.zeros((count, count, 3)), np.zeros((count, count, 2))
        law = np.zeros((count, count), dtype=np.int64)
        for i, a in enumerate(self.materials):
            for j, b in enumerate(self.materials):
                mu[i, j] = [rule(x, y) for x, y in zip(a.mu, b.mu, strict=True)]
                restitution[i, j, 0] = rule(a.restitution, b.restitution)
                restitution[i, j, 1] = rule(a.tangential_restitution, b.tangential_restitution)
                law[i, j] = law_of_pair(a.law, b.law)
        for pair in self.pairs:
            i, j = (self.index(name) for name in pair.materials)
            for x, y in ((i, j), (j, i)):
                if pair.friction is not None:
                    mu[x, y, :2] = pair.friction
                if pair.friction_t is not None:
                    mu[x, y, 1] = pair.friction_t
                if pair.torsional_friction is not None:
                    mu[x, y, 2] = pair.torsional_friction
                if pair.restitution is not None:
                    restitution[x, y, 0] = pair.restitution
                if pair.tangential_restitution is not None:
                    restitution[x, y, 1] = pair.tangential_restitution
                if pair.law is not None:
                    law[x, y] = LAW_OF_KEY[pair.law]
        return mu, restitution, law
