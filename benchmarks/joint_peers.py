"""The same mechanisms in MuJoCo and Bullet (pybullet): trees in reduced coordinates, loops closed by point equalities.

A peer is made of a compiled Model and its first State: step() goes one time step on, poses() returns positions (R,3),
orientations (R,4) w,x,y,z and twists (R,6) of the bodies, in the order of the Model. Hinges and balls.
"""

import numpy as np

from stiction.solver.dynamics import rotation

# A hinge of a loop is closed at two points so far from its anchor [m].
APART = 0.25


def spanning(model):
    """(tree [(joint, its parent's end, its child's end)] from the world outwards, loops [joint])."""
    ends, reached, tree, left = model.joints.per_joint.ends, {-1}, [], list(range(model.joints.count))
    while True:
        new = next((j for j in left if (ends[j, 0] in reached) != (ends[j, 1] in reached)), None)
        if new is None:
            return tree, left
        left.remove(new)
        child = 0 if ends[new, 1] in reached else 1
        tree.append((new, 1 - child, child))
        reached.add(ends[new, child])


def closing_points(model, joint):
    """Anchors (2,3) at which a joint of a loop is closed: one for a ball, two along the axis for a hinge."""
    p = model.joints.per_joint
    shifts = (0.0,) if model.joints.types[joint] == "ball" else (-APART, APART)
    return [p.anchor[joint] + shift * p.frame[joint][:, :, 2] for shift in shifts]


class MuJoCo:
    """MuJoCo with an integrator; stiff: loops as direct springs of 1e7 1/s^2."""

    def __init__(self, model, state, h, integrator, stiff=False):
        import mujoco

        self.mj, self.count = mujoco, model.body_count
        p, spec, made = model.joints.per_joint, mujoco.MjSpec(), {}
        spec.option.timestep, spec.option.gravity = h, model.gravity
        spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
        spec.option.tolerance = 1e-10
        R = rotation.matrix(state.orientation)
        tree, loops = spanning(model)
        for joint, side, child in tree:
            a, b = p.ends[joint, side], p.ends[joint, child]
            parent, x, turn = (spec.worldbody, np.zeros(3), np.eye(3)) if a < 0 else (made[a], state.position[a], R[a])
            body = parent.add_body(name=f"b{b}", pos=turn.T @ (state.position[b] - x), quat=_quaternion(turn.T @ R[b]))
            body.mass, body.ipos, body.explicitinertial = model.mass[b], np.zeros(3), True
            body.inertia, body.iquat = np.diag(model.inertia[b]), (1, 0, 0, 0)
            kind = "BALL" if model.joints.types[joint] == "ball" else "HINGE"
            body.add_joint(type=getattr(mujoco.mjtJoint, f"mjJNT_{kind}"), pos=p.anchor[joint, child],
                           axis=p.frame[joint, child][:, 2])  # fmt: skip
            made[b] = body
        for joint in loops:
            a, b = p.ends[joint]
            for points in closing_points(model, joint):
                e = spec.add_equality()
                e.type, e.objtype = mujoco.mjtEq.mjEQ_CONNECT, mujoco.mjtObj.mjOBJ_BODY
                if min(a, b) < 0:
                    e.name1, e.data[:3] = f"b{max(a, b)}", points[1 if a < 0 else 0]
                else:
                    e.name1, e.name2, e.data[:3] = f"b{a}", f"b{b}", points[0]
                e.solref = [-1e7, -6e3] if stiff else [2 * h, 1]
                if stiff:
                    e.solimp = [0.9999, 0.9999, 0.001, 0.5, 2]
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)
        self.ids = [self.model.body(f"b{i}").id for i in range(self.count)]
        mujoco.mj_forward(self.model, self.data)
        if np.any(state.twist):
            self._start(state.twist)

    def _start(self, twist):
        """Rates of the joints that give the bodies their twists, by least squares."""
        rows = []
        for body in self.ids:
            straight, turn = np.zeros((2, 3, self.model.nv))
            self.mj.mj_jacBody(self.model, self.data, straight, turn, body)
            rows += [straight, turn]
        self.data.qvel[:] = np.linalg.lstsq(np.vstack(rows), twist.ravel(), rcond=None)[0]

    def step(self):
        self.mj.mj_step(self.model, self.data)

    def poses(self):
        twist, v = np.zeros((self.count, 6)), np.zeros(6)
        bad = self.mj.mjtWarning
        kinds = bad.mjWARN_BADQPOS, bad.mjWARN_BADQVEL, bad.mjWARN_BADQACC
        if any(self.data.warning[int(kind)].number for kind in kinds):
            # It has begun anew from the start.
            return twist[:, :3], np.zeros((self.count, 4)), np.full_like(twist, np.nan)
        self.mj.mj_forward(self.model, self.data)
        for i, body in enumerate(self.ids):
            self.mj.mj_objectVelocity(self.model, self.data, self.mj.mjtObj.mjOBJ_BODY, body, v, 0)
            twist[i] = [*v[3:], *v[:3]]
        return self.data.xipos[self.ids].copy(), self.data.xquat[self.ids].copy(), twist


class Bullet:
    """Bullet's multibody with 50 iterations."""

    def __init__(self, model, state, h):
        import pybullet

        self.p, self.count = pybullet, model.body_count
        pybullet.connect(pybullet.DIRECT)
        pybullet.resetSimulation()
        pybullet.setGravity(*model.gravity)
        pybullet.setTimeStep(h)
        pybullet.setPhysicsEngineParameter(numSolverIterations=50, deterministicOverlappingPairs=1)
        p, R = model.joints.per_joint, rotation.matrix(state.orientation)
        tree, loops = spanning(model)
        order = [int(p.ends[joint, child]) for joint, _, child in tree]
        self.link, at = {b: k for k, b in enumerate(order)}, {}
        columns = {name: [] for name in ("mass", "position", "turn", "inner", "parent", "kind", "axis")}
        for joint, side, child in tree:
            a, b = int(p.ends[joint, side]), int(p.ends[joint, child])
            arm = p.anchor[joint, child]
            at[b] = state.position[b] + R[b] @ arm
            turn, place = (np.eye(3), np.zeros(3)) if a < 0 else (R[a], at[a])
            ball = model.joints.types[joint] == "ball"
            values = (model.mass[b], turn.T @ (at[b] - place), _xyzw(turn.T @ R[b]), -arm,
                      0 if a < 0 else self.link[a] + 1,
                      pybullet.JOINT_SPHERICAL if ball else pybullet.JOINT_REVOLUTE,
                      p.frame[joint, child][:, 2])  # fmt: skip
            for column, value in zip(columns.values(), values, strict=True):
                column.append(value)
        none = [-1] * len(order)
        self.body = pybullet.createMultiBody(
            0, -1, -1, (0, 0, 0), (0, 0, 0, 1), linkMasses=columns["mass"], linkCollisionShapeIndices=none,
            linkVisualShapeIndices=none, linkPositions=columns["position"], linkOrientations=columns["turn"],
            linkInertialFramePositions=columns["inner"], linkInertialFrameOrientations=[(0, 0, 0, 1)] * len(order),
            linkParentIndices=columns["parent"], linkJointTypes=columns["kind"], linkJointAxis=columns["axis"],
        )  # fmt: skip
        for k, b in enumerate(order):
            pybullet.changeDynamics(self.body, k, localInertiaDiagonal=list(np.diag(model.inertia[b])), linearDamping=0,
                                    angularDamping=0, jointDamping=0, maxJointVelocity=1e6)  # fmt: skip
            self._free(k, columns["kind"][k])
        pybullet.changeDynamics(self.body, -1, linearDamping=0, angularDamping=0)
        for joint in loops:
            self._close(model, joint)
        for k, (joint, side, _) in enumerate(tree):
            if columns["kind"][k] == pybullet.JOINT_REVOLUTE:
                a, b = p.ends[joint, side], order[k]
                spin = state.twist[b, 3:] - (0 if a < 0 else state.twist[a, 3:])
                pybullet.resetJointState(self.body, k, 0.0, float(spin @ (R[b] @ columns["axis"][k])))

    def _free(self, k, kind):
        """Switch off the motor that every joint begins with."""
        p = self.p
        if kind == p.JOINT_REVOLUTE:
            p.setJointMotorControl2(self.body, k, p.VELOCITY_CONTROL, force=0)
            return
        p.setJointMotorControlMultiDof(self.body, k, p.POSITION_CONTROL, targetPosition=[0, 0, 0, 1], positionGain=0,
                                       velocityGain=0, force=[0, 0, 0])  # fmt: skip

    def _close(self, model, joint):
        p, (a, b) = self.p, model.joints.per_joint.ends[joint]
        for points in closing_points(model, joint):
            kind, none = p.JOINT_POINT2POINT, (0, 0, 0)
            if min(a, b) < 0:
                mine, world = (1, 0) if a < 0 else (0, 1)
                made = p.createConstraint(self.body, self.link[max(a, b)], -1, -1, kind, none, points[mine],
                                          points[world])  # fmt: skip
            else:
                made = p.createConstraint(self.body, self.link[a], self.body, self.link[b], kind, none, *points)
            p.changeConstraint(made, maxForce=1e9)

    def step(self):
        self.p.stepSimulation()

    def poses(self):
        x, q, u = np.zeros((self.count, 3)), np.zeros((self.count, 4)), np.zeros((self.count, 6))
        for b, k in self.link.items():
            found = self.p.getLinkState(self.body, k, 1, 1)
            x[b], q[b], u[b] = found[0], np.roll(found[1], 1), [*found[6], *found[7]]
        return x, q, u


def _quaternion(R):
    """w,x,y,z of a rotation matrix."""
    import mujoco

    q = np.zeros(4)
    mujoco.mju_mat2Quat(q, np.ascontiguousarray(R).ravel())
    return q


def _xyzw(R):
    w = 0.5 * np.sqrt(np.maximum(1e-300, 1 + R[0, 0] + R[1, 1] + R[2, 2]))
    if w < 1e-3:
        values, vectors = np.linalg.eigh(R + R.T)
        return (*vectors[:, np.argmax(values)], 0.0)
    return (R[2, 1] - R[1, 2]) / (4 * w), (R[0, 2] - R[2, 0]) / (4 * w), (R[1, 0] - R[0, 1]) / (4 * w), w


PEERS = {
    "MuJoCo Euler": lambda *given: MuJoCo(*given, "Euler"),
    "MuJoCo implicitfast": lambda *given: MuJoCo(*given, "implicitfast"),
    "MuJoCo RK4": lambda *given: MuJoCo(*given, "RK4"),
    "MuJoCo stiff loops": lambda *given: MuJoCo(*given, "implicitfast", stiff=True),
    "Bullet multibody": lambda *given: Bullet(*given),
}
